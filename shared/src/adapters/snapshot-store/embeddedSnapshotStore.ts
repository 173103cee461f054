import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Database } from 'lmdb';
import type { Clock } from '../../ports/clock.js';
import { DamagedFile } from '../../ports/errors.js';
import type { Snapshot, SnapshotHead, SnapshotLimits, SnapshotStore } from '../../ports/snapshotStore.js';
import { once } from '../../runtime/service.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { StoreTransactions } from '../lmdb/storeTransactions.js';
import { systemClock } from '../system/systemClock.js';
import { beyondLimits, defaultSnapshotLimits } from './snapshotLimits.js';
import { checkedParts, noParts, withPart, type PartsSum } from './snapshotParts.js';

interface Entry extends SnapshotHead, PartsSum {
  /** Under which its parts are. */
  readonly copy: string;
  /** When its writing began. */
  readonly writtenAt: number;
}

type PartKey = [copy: string, number: number];

/** Snapshots in an LMDB file. The parts of a new one are beside those of the one before, until they are complete. */
class EmbeddedSnapshotStore implements SnapshotStore {
  private readonly transactions: StoreTransactions;
  private readonly limits: SnapshotLimits;
  private readonly clock: Clock;
  private readonly entries: Database<Entry, string>;
  private readonly parts: Database<string, PartKey>;
  private lastBegin = 0;

  constructor(path: string, limits: SnapshotLimits, clock: Clock) {
    const environment = openOrReplace(path);
    this.transactions = new StoreTransactions(environment, 'snapshots');
    this.limits = limits;
    this.clock = clock;
    const { root } = environment;
    this.entries = root.openDB('entries', { encoding: 'json' });
    this.parts = root.openDB('parts', { encoding: 'string' });
  }

  /** Removes parts that a process has left which ended before they were complete. */
  async prepare(): Promise<void> {
    const complete = new Set([...this.entries.getRange()].map(({ value }) => value.copy));
    const left = [...this.parts.getKeys()].filter(([copy]) => !complete.has(copy));
    if (left.length > 0) await this.transactions.run(() => left.forEach((key) => this.parts.removeSync(key)));
  }

  async find(stream: string): Promise<Snapshot | undefined> {
    this.transactions.assertOpen();
    const entry = this.entries.get(stream);
    if (entry === undefined || entry.writtenAt <= this.clock.now() - this.limits.retentionMs)
      return undefined;
    const { version, revision, event } = entry;
    return { version, revision, event, parts: checkedParts(stream, entry, this.partsOf(entry.copy)) };
  }

  async write(stream: string, head: SnapshotHead, parts: AsyncIterable<string>): Promise<void> {
    this.transactions.assertOpen();
    const copy = randomUUID();
    // Two that begin in one millisecond have an order, too.
    const writtenAt = (this.lastBegin = Math.max(this.clock.now(), this.lastBegin + 0.001));
    let sum = noParts;
    try {
      for await (const part of parts) {
        const key: PartKey = [copy, sum.count];
        await this.transactions.run(() => this.parts.putSync(key, part));
        sum = withPart(sum, part);
      }
      const { version, revision, event } = head;
      const entry: Entry = { version, revision, event, copy, writtenAt, ...sum };
      await this.transactions.run(() => this.replace(stream, entry));
    } catch (error) {
      if (this.transactions.isOpen) await this.transactions.run(() => this.removeParts(copy, sum.count));
      throw error;
    }
  }

  async remove(streams: readonly string[]): Promise<void> {
    await this.transactions.run(() => streams.forEach((stream) => this.removeOne(stream)));
  }

  readonly close = once(() => this.transactions.close());

  private *partsOf(copy: string): Generator<string> {
    for (let number = 0; ; number += 1) {
      this.transactions.assertOpen();
      const part = this.parts.get([copy, number]);
      if (part === undefined) return;
      yield part;
    }
  }

  /** Within a transaction. */
  private replace(stream: string, entry: Entry): void {
    const before = this.entries.get(stream);
    if (before !== undefined && before.writtenAt > entry.writtenAt)
      return this.removeParts(entry.copy, entry.count);
    if (before !== undefined) this.removeParts(before.copy, before.count);
    this.entries.putSync(stream, entry);
    const kept = [...this.entries.getRange()].map(({ key, value }) => ({ ...value, stream: key }));
    for (const each of beyondLimits(kept, this.limits, this.clock.now())) this.removeOne(each);
  }

  /** Within a transaction. */
  private removeOne(stream: string): void {
    const entry = this.entries.get(stream);
    if (entry === undefined) return;
    this.entries.removeSync(stream);
    this.removeParts(entry.copy, entry.count);
  }

  /** Within a transaction. */
  private removeParts(copy: string, count: number): void {
    for (let number = 0; number < count; number += 1) this.parts.removeSync([copy, number]);
  }
}

/** Nothing is lost with a damaged file that cannot be made again. */
const openOrReplace = (path: string): DurableEnvironment => {
  try {
    return openDurableEnvironment(path);
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    for (const file of [path, `${path}-lock`]) rmSync(file, { force: true });
    return openDurableEnvironment(path);
  }
};

interface Files {
  file(name: string): string;
}

/** The snapshots of one process, in `snapshots.lmdb` in the data folder. */
export const openEmbeddedSnapshotStore = async (
  folder: Files,
  limits: SnapshotLimits = defaultSnapshotLimits,
  clock: Clock = systemClock,
): Promise<SnapshotStore> => {
  const store = new EmbeddedSnapshotStore(folder.file('snapshots.lmdb'), limits, clock);
  await store.prepare();
  return store;
};
