import type { Buffer } from 'node:buffer';
import type { Database } from 'lmdb';
import type { NewRollRecord, Roll, RollRecord, RollWrite, StoredRoll } from '../../ports/roomEventStore.js';
import { rollKey } from '../../ports/roomEventStore.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { FollowProgress } from '../lmdb/followProgress.js';

interface Head {
  readonly roll: Roll;
  readonly revision: number;
  readonly term: number;
  readonly isIdle: boolean;
  readonly settled: number;
}

type RecordKey = [roll: string, revision: number];
type OwnerKey = [owner: string, roll: string];

/** Sorts behind every number and text. */
const afterAll = new Uint8Array([0xff]) as unknown as string;

const ownersOf = ({ projectId, appId, roomId, accessScopeId }: Roll): readonly string[] =>
  [projectId, appId, roomId, accessScopeId].filter((owner) => owner !== null);

/** Rolls in an LMDB environment. Everything that writes must run within a transaction of it. */
export class RollTables {
  readonly environment: DurableEnvironment;
  readonly progress: FollowProgress;
  private readonly heads: Database<Head, string>;
  /** With the term in front. */
  private readonly records: Database<Buffer, RecordKey>;
  private readonly terms: Database<number, RecordKey>;
  /** Those that are not idle. */
  private readonly open: Database<string, [shard: number, roll: string]>;
  private readonly owned: Database<string, OwnerKey>;

  constructor(path: string) {
    this.environment = openDurableEnvironment(path);
    const { root } = this.environment;
    this.heads = root.openDB('heads', { encoding: 'json' });
    this.records = root.openDB('records', { encoding: 'binary' });
    this.terms = root.openDB('terms', { encoding: 'ordered-binary' });
    this.open = root.openDB('open', { encoding: 'string' });
    this.owned = root.openDB('owned', { encoding: 'string' });
    this.progress = new FollowProgress(root.openDB('state', { encoding: 'string' }));
  }

  openIn(shard: number): readonly string[] {
    const range = { start: [shard, ''], end: [shard, afterAll] } as unknown as { start: [number, string] };
    return [...this.open.getKeys(range)].map(([, key]) => key);
  }

  ownedBy(owner: string): readonly string[] {
    const range = { start: [owner, ''], end: [owner, afterAll] } as unknown as { start: OwnerKey };
    return [...this.owned.getKeys(range)].map(([, key]) => key);
  }

  isIdle(key: string): boolean {
    return this.heads.get(key)?.isIdle ?? true;
  }

  settledOf(key: string): number | undefined {
    return this.heads.get(key)?.settled;
  }

  read(key: string): StoredRoll | undefined {
    const head = this.heads.get(key);
    if (head === undefined) return undefined;
    const records: RollRecord[] = [];
    for (const { key: of, value } of this.records.getRange(rangeOf(key)))
      records.push({ revision: of[1], term: this.terms.get(of) ?? 0, content: new Uint8Array(value) });
    return { roll: head.roll, records, settled: head.settled };
  }

  append({ roll, revision, term, content, isIdle, from }: NewRollRecord): RollWrite {
    const key = rollKey(roll);
    const head = this.heads.get(key);
    if (head !== undefined && head.revision === revision && head.term === term)
      return this.records.get([key, revision])?.equals(content) === true ? 'stored' : 'overtaken';
    if (revision !== (head?.revision ?? 0) + 1 || term < (head?.term ?? 0)) return 'overtaken';
    this.records.putSync([key, revision], content as Buffer);
    this.terms.putSync([key, revision], term);
    this.heads.putSync(key, { roll, revision, term, isIdle, settled: head?.settled ?? 0 });
    if (head === undefined) for (const owner of ownersOf(roll)) this.owned.putSync([owner, key], '');
    if (isIdle) this.open.removeSync([roll.shard, key]);
    else if (head?.isIdle !== false) this.open.putSync([roll.shard, key], '');
    if (from !== undefined) this.removeBefore(key, from);
    return 'stored';
  }

  settle(key: string, upTo: number): void {
    const head = this.heads.get(key);
    if (head !== undefined && head.settled < upTo) this.heads.putSync(key, { ...head, settled: upTo });
  }

  remove(key: string): void {
    const head = this.heads.get(key);
    if (head === undefined) return;
    this.removeBefore(key, Number.MAX_SAFE_INTEGER);
    this.heads.removeSync(key);
    this.open.removeSync([head.roll.shard, key]);
    for (const owner of ownersOf(head.roll)) this.owned.removeSync([owner, key]);
  }

  private removeBefore(key: string, revision: number): void {
    for (const of of [...this.records.getKeys(rangeOf(key, revision))]) {
      this.records.removeSync(of);
      this.terms.removeSync(of);
    }
  }
}

const rangeOf = (key: string, before = Number.MAX_SAFE_INTEGER) => ({
  start: [key, 0] as RecordKey,
  end: [key, before] as RecordKey,
});
