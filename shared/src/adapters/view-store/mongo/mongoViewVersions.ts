import type { Db } from 'mongodb';
import type { LeftBehind, LogExtent, ViewVersions } from '../../../ports/viewStore.js';
import type { MongoConnection } from '../../mongo/connection.js';
import { isReadable, ProgressDocument, type Progress } from './progress.js';
import { ViewCollections, type StoredReader } from './viewCollections.js';

/** Half a minute. Counted in looks: while MongoDB is away, or this process is suspended, nobody can be seen to be silent. */
const silentLooks = 15;
/** Ten seconds, after which readers have stopped reading what nobody writes. */
const leftBehindLooks = 5;
/** Sixteen seconds: no reader and no writer goes on for so long without having learnt of the next generation, see `retirementMs`. */
const droppedAfterLooks = 8;

interface OtherVersion {
  readonly version: number;
  /** Those that have collections. */
  readonly generations: readonly number[];
  readonly readers: readonly string[];
  /** An older version, in place of which this one is read. */
  readonly isReplaced: boolean;
}

/** What one look has shown, and in how many looks before it that was so. */
interface Seen<T> {
  readonly what: T;
  readonly looks: number;
}

/** What looks show, by what they look at. */
class Looks<K, T> {
  private readonly seen = new Map<K, Seen<T>>();

  /** In how many looks before this one it was the same. */
  look(key: K, what: T): number {
    const last = this.seen.get(key);
    const looks = last !== undefined && last.what === what ? last.looks + 1 : 0;
    this.seen.set(key, { what, looks });
    return looks;
  }

  forget(key: K): void {
    this.seen.delete(key);
  }

  keys(): Iterable<K> {
    return this.seen.keys();
  }
}

/** The read models of the other versions in a database. */
export class MongoViewVersions implements ViewVersions {
  private readonly connection: MongoConnection;
  private readonly database: Db;
  private readonly own: ViewCollections;
  /** The beats of each reader. */
  private readonly beats = new Looks<string, number>();
  /** Of each version: where it stands while it lacks something, and whether it has readers. */
  private readonly standing = new Looks<number, string>();
  private readonly setAside = new Looks<number, number>();

  constructor(connection: MongoConnection, own: ViewCollections) {
    this.connection = connection;
    this.database = connection.database;
    this.own = own;
  }

  async tend(extent: LogExtent): Promise<readonly LeftBehind[]> {
    return this.connection.call(async () => {
      const readers = await this.livingReaders();
      const own = await new ProgressDocument(this.own.progress).read();
      const isReady = isReadable(own) && own?.origin?.log === extent.log;
      const left: LeftBehind[] = [];
      for (const [version, generations] of await this.own.versions()) {
        if (version === this.own.version) continue;
        const names = readers.filter((reader) => reader.version === version).map(({ name }) => name);
        const other = {
          version,
          generations,
          readers: names,
          isReplaced: isReady && version < this.own.version,
        };
        if (await this.tendOther(other, extent)) left.push({ version, readers: names });
      }
      return left;
    });
  }

  /** Those that beat. The others are removed. */
  private async livingReaders(): Promise<readonly StoredReader[]> {
    const readers = await this.own.readers.find().toArray();
    const silent = readers.filter(({ _id, beats }) => this.beats.look(_id, beats) >= silentLooks);
    for (const { _id, beats } of silent) await this.own.readers.deleteOne({ _id, beats });
    const living = readers.filter((reader) => !silent.includes(reader));
    for (const id of this.beats.keys()) if (!living.some(({ _id }) => _id === id)) this.beats.forget(id);
    return living;
  }

  /** Resolves true where it has readers and nobody writes what it lacks. */
  private async tendOther(other: OtherVersion, extent: LogExtent): Promise<boolean> {
    const collections = new ViewCollections(this.database, other.version);
    const progress = new ProgressDocument(collections.progress);
    const found = await progress.read();
    if (found?.isSetAside) await this.dropPast(other, collections, found);
    // Of another log, or not begun.
    if (found?.position === undefined || found.origin?.log !== extent.log) return false;
    if ((found.known ?? '') < extent.head) await progress.tell(extent);
    const isRead = other.readers.length > 0;
    const isBehind = found.position < extent.head;
    const looks = this.standing.look(other.version, isBehind ? `${found.position} ${isRead}` : 'up to date');
    if (!isBehind) return false;
    if (!isRead && other.isReplaced && found.registersReaders && looks >= silentLooks)
      await progress.setAside(found);
    return isRead && looks >= leftBehindLooks;
  }

  /** Not at once: somebody may still be reading, or writing. */
  private async dropPast(
    { version, generations }: OtherVersion,
    collections: ViewCollections,
    { generation = 0 }: Progress,
  ): Promise<void> {
    const looks = this.setAside.look(version, generation);
    if (looks >= droppedAfterLooks && generations.some((number) => number < generation))
      await collections.dropGenerationsBefore(generation);
  }
}
