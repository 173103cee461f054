import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import {
  rollKey,
  rollOfKey,
  type NewRollRecord,
  type RollId,
  type RollWrite,
  type RoomEventStore,
  type StoredRoll,
} from '../../ports/roomEventStore.js';
import { once } from '../../runtime/service.js';
import { createGroupCommit } from '../lmdb/groupCommit.js';
import { StoreTransactions } from '../lmdb/storeTransactions.js';
import { RollTables } from './rollTables.js';

/** Removals in one transaction. */
const step = 100;

/** Rolls in an LMDB file. */
class EmbeddedRoomEventStore implements RoomEventStore {
  private readonly tables: RollTables;
  private readonly transactions: StoreTransactions;

  private readonly appends = createGroupCommit<NewRollRecord, RollWrite>({
    transact: (work) => this.tables.environment.transact(work),
    write: (records) => records.map((record) => this.tables.append(record)),
    committed: () => undefined,
    bytesOf: ({ content }) => content.length,
  });

  constructor(path: string) {
    this.tables = new RollTables(path);
    this.transactions = new StoreTransactions(this.tables.environment, 'room events');
  }

  async openIn(shard: number): Promise<readonly RollId[]> {
    this.transactions.assertOpen();
    return this.tables.openIn(shard).map(rollOfKey);
  }

  async read(id: RollId): Promise<StoredRoll | undefined> {
    this.transactions.assertOpen();
    return this.tables.read(rollKey(id));
  }

  async append(records: readonly NewRollRecord[]): Promise<readonly RollWrite[]> {
    this.transactions.assertOpen();
    return Promise.all(records.map((record) => this.appends.submit(record))).catch(
      this.transactions.unavailable,
    );
  }

  settle(id: RollId, upTo: number): Promise<void> {
    return this.transactions.run(() => this.tables.settle(rollKey(id), upTo));
  }

  async settledOf(ids: readonly RollId[]) {
    this.transactions.assertOpen();
    return ids.flatMap(({ roomId, accessScopeId }) => {
      const settled = this.tables.settledOf(rollKey({ roomId, accessScopeId }));
      return settled === undefined ? [] : [{ roomId, accessScopeId, settled }];
    });
  }

  remove(id: RollId): Promise<void> {
    return this.transactions.run(() => this.tables.remove(rollKey(id)));
  }

  async removeOf(owners: readonly string[]): Promise<void> {
    for (const owner of owners) {
      this.transactions.assertOpen();
      const keys = this.tables.ownedBy(owner);
      for (let from = 0; from < keys.length; from += step)
        await this.transactions.run(() => {
          for (const key of keys.slice(from, from + step))
            // A room is named by the first part of the key.
            if (!key.startsWith(`${owner}/`) || this.tables.isIdle(key)) this.tables.remove(key);
        });
    }
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    this.transactions.assertOpen();
    return this.tables.progress.checkpoint;
  }

  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    return this.transactions.run(() => this.tables.progress.move(position, origin));
  }

  async origin(): Promise<LogOrigin | undefined> {
    this.transactions.assertOpen();
    return this.tables.progress.origin;
  }

  readonly close = once(() => this.transactions.close(() => this.appends.idle()));
}

interface Files {
  file(name: string): string;
}

export const openEmbeddedRoomEventStore = async (folder: Files): Promise<RoomEventStore> =>
  new EmbeddedRoomEventStore(folder.file('room-events.lmdb'));
