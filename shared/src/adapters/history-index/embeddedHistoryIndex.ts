import { Buffer } from 'node:buffer';
import type { Clock } from '../../ports/clock.js';
import { EngineUnavailable } from '../../ports/errors.js';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import type { HistoryOwners, HistoryTopic } from '../../ports/history.js';
import type {
  HistoryIndex,
  IndexedPartition,
  IndexedRecord,
  IndexedTopic,
} from '../../ports/historyIndex.js';
import { once } from '../../runtime/service.js';
import { liveMessages } from '../../wire/bus/liveMessage.js';
import type { Place } from '../../wire/protocol/position.js';
import { createGroupCommit } from '../lmdb/groupCommit.js';
import { StoreTransactions } from '../lmdb/storeTransactions.js';
import { systemClock } from '../system/systemClock.js';
import { HistoryAppends, type Append, type NewRecord } from './historyAppends.js';
import { newestFirst, oldestFirst } from './historyPages.js';
import {
  afterAll,
  headerLength,
  keysOfOwner,
  openHistoryTables,
  type HistoryTables,
} from './historyTables.js';
import { ownedTopic, topicKeyOf, type OwnedTopic } from './keptTopics.js';
import { removedOwnersMs } from './removal.js';
import { markDeleted, markRemoved, removeSome, removeSomeOfAll } from './topicRemoval.js';

/** Limit of bytes that wait for the disk; further messages are refused. */
const maxWaitingBytes = 64 * 1024 * 1024;
/** Topics, or owners, in one step. */
const step = 100;

/** The messages of topics with history in an LMDB file. */
class EmbeddedHistoryIndex implements HistoryIndex {
  private readonly tables: HistoryTables;
  private readonly transactions: StoreTransactions;
  private readonly clock: Clock;
  private readonly appends: HistoryAppends;
  private waitingBytes = 0;

  private readonly commits = createGroupCommit<Append, void>({
    transact: (work) => this.tables.environment.transact(work),
    write: (appends) => {
      this.appends.write(appends);
      return appends.map(() => undefined);
    },
    committed: () => undefined,
    bytesOf: ({ records }) => bytesOf(records),
  });

  constructor(tables: HistoryTables, clock: Clock) {
    this.tables = tables;
    this.transactions = new StoreTransactions(this.tables.environment, 'message history');
    this.clock = clock;
    this.appends = new HistoryAppends(tables);
  }

  async partition(partition: number): Promise<IndexedPartition | undefined> {
    this.transactions.assertOpen();
    return this.tables.partitions.get(partition);
  }

  begin(partition: number, former: number | undefined, to: IndexedPartition): Promise<IndexedPartition> {
    const { partitions } = this.tables;
    return this.transactions.run(() => {
      const known = partitions.get(partition);
      if (known !== undefined && known.epoch !== former) return known;
      partitions.putSync(partition, to);
      return to;
    });
  }

  async append(partition: number, records: readonly IndexedRecord[], to: IndexedPartition): Promise<void> {
    const added = records.flatMap(newRecord);
    const bytes = bytesOf(added);
    this.transactions.assertOpen();
    if (this.waitingBytes > 0 && this.waitingBytes + bytes > maxWaitingBytes)
      throw new EngineUnavailable('message history');
    this.waitingBytes += bytes;
    try {
      await this.commits.submit({ partition, records: added, to });
    } catch (cause) {
      throw new EngineUnavailable('message history', { cause });
    } finally {
      this.waitingBytes -= bytes;
    }
  }

  async topic(topic: HistoryTopic): Promise<IndexedTopic> {
    this.transactions.assertOpen();
    const key = topicKeyOf(topic);
    const { newest, removedTo, deletedTo } = this.tables.topics.get(key) ?? {};
    const options = { deletedTo, assertOpen: () => this.transactions.assertOpen() };
    return {
      ...{ newest, removedTo, deletedTo },
      newestFirst: (before) => newestFirst(this.tables, key, before, options),
      oldestFirst: (after) => oldestFirst(this.tables, key, after, options),
    };
  }

  async deleteTopic(topic: HistoryTopic, owners: HistoryOwners, to: Place): Promise<void> {
    const key = topicKeyOf(topic);
    await this.transactions.run(() => markDeleted(this.tables, key, { ...topic, ...owners }, to));
    while ((await this.transactions.run(() => removeSome(this.tables, key, this.clock.now()))) > 0);
  }

  async removeOf(owners: readonly string[]): Promise<void> {
    for (let from = 0; from < owners.length; from += step) {
      const some = owners.slice(from, from + step);
      await this.transactions.run(() =>
        some.forEach((owner) => markRemoved(this.tables, owner, this.clock.now())),
      );
      for (const owner of some) await this.removeTopicsOf(owner);
    }
  }

  async *topicsOf(appId: string): AsyncGenerator<readonly OwnedTopic[]> {
    for (let after = ''; ;) {
      this.transactions.assertOpen();
      const keys = [...this.tables.owned.getKeys({ ...keysOfOwner(appId, after), limit: step })];
      const found = keys.flatMap(([, key]) => this.tables.topics.get(key) ?? []);
      if (found.length > 0) yield found.map(ownedTopic);
      const [, last] = keys.at(-1) ?? [];
      if (last === undefined) return;
      after = last;
    }
  }

  async prune(now: number): Promise<number> {
    for (let removed = 0; ;) {
      this.transactions.assertOpen();
      const range = {
        start: [0, ''] as [number, string],
        end: [now, afterAll] as unknown as [number, string],
      };
      const due = [...this.tables.due.getKeys({ ...range, limit: step })];
      if (due.length === 0) {
        await this.forgetRemoved(now - removedOwnersMs);
        return removed;
      }
      for (const [, key] of due)
        removed += await this.transactions.run(() => removeSome(this.tables, key, now));
    }
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    this.transactions.assertOpen();
    return this.tables.progress.checkpoint;
  }

  async origin(): Promise<LogOrigin | undefined> {
    this.transactions.assertOpen();
    return this.tables.progress.origin;
  }

  async moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    await this.transactions.run(() => this.tables.progress.move(position, origin));
  }

  readonly close = once(() => this.transactions.close(() => this.commits.idle()));

  private async removeTopicsOf(owner: string): Promise<void> {
    for (;;) {
      const keys = [...this.tables.owned.getKeys({ ...keysOfOwner(owner), limit: step })];
      if (keys.length === 0) return;
      for (const [, key] of keys)
        while (!(await this.transactions.run(() => removeSomeOfAll(this.tables, key))));
    }
  }

  private async forgetRemoved(before: number): Promise<void> {
    const { removals, removed } = this.tables;
    for (;;) {
      const old = [...removals.getKeys({ start: [0, ''], end: [before, ''], limit: step })];
      if (old.length === 0) return;
      await this.transactions.run(() => {
        for (const [removedAt, owner] of old) {
          removals.removeSync([removedAt, owner]);
          removed.removeSync(owner);
        }
      });
    }
  }
}

const newRecord = ({ offset, message }: IndexedRecord): NewRecord[] => {
  const { kept } = message;
  if (kept === undefined) return [];
  const encoded = liveMessages.codec.encode(message);
  const value = Buffer.allocUnsafe(headerLength + encoded.length);
  value.set(encoded, headerLength);
  return [{ offset, message, kept, value }];
};

const bytesOf = (records: readonly NewRecord[]): number =>
  records.reduce((sum, { value }) => sum + value.length, 0);

interface Files {
  file(name: string): string;
}

/** For a file that was put back to an earlier time. */
export const beginNumberingAnew = async (folder: Files, clock: Clock = systemClock): Promise<void> => {
  const { environment, partitions } = await openHistoryTables(folder.file('history.lmdb'));
  try {
    const before = partitions.get(0)?.epoch ?? 0;
    const epoch = Math.max(clock.now(), before + 1);
    await environment.transact(() => partitions.putSync(0, { epoch, next: 0 }));
  } finally {
    await environment.close();
  }
};

/** In `history.lmdb` in the data folder. The numbering of a new one begins now. */
export const openEmbeddedHistoryIndex = async (
  folder: Files,
  clock: Clock = systemClock,
): Promise<HistoryIndex> => {
  const tables = await openHistoryTables(folder.file('history.lmdb'));
  const { environment, partitions } = tables;
  if (!partitions.doesExist(0))
    await environment.transact(() => partitions.putSync(0, { epoch: clock.now(), next: 0 }));
  return new EmbeddedHistoryIndex(tables, clock);
};
