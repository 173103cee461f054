import type { Database } from 'lmdb';
import type { Clock } from '../../ports/clock.js';
import type { GroupStore, GroupCheckpoint } from '../../ports/groupStore.js';
import type { Logger } from '../../ports/logger.js';
import { startExpirySweep, type ExpirySweep } from '../../runtime/expirySweep.js';
import { once } from '../../runtime/service.js';
import { openDurableEnvironment } from '../lmdb/durableEnvironment.js';
import { StoreTransactions } from '../lmdb/storeTransactions.js';
import { systemClock } from '../system/systemClock.js';

type GroupId = [topic: string, group: string];
type Expiry = [expiresAt: number, ...GroupId];

/** Removals in one transaction, which takes a few milliseconds. */
const step = 500;

const everyMinute = 60_000;

export interface GroupStoreOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Interval at which expired checkpoints are removed; by default a minute. */
  readonly expiryEveryMs?: number;
}

/** Checkpoints of worker groups in an LMDB file. */
class EmbeddedGroupStore implements GroupStore {
  private readonly clock: Clock;
  private readonly groups: Database<GroupCheckpoint, GroupId>;
  /** One for each group. */
  private readonly expiries: Database<boolean, Expiry>;
  private readonly transactions: StoreTransactions;
  private sweep: ExpirySweep | undefined;

  constructor(file: string, clock: Clock) {
    this.clock = clock;
    const environment = openDurableEnvironment(file);
    this.groups = environment.root.openDB('groups', { encoding: 'json' });
    this.expiries = environment.root.openDB('expiries', { encoding: 'ordered-binary' });
    this.transactions = new StoreTransactions(environment, 'worker groups');
  }

  /** Removes what has expired, now and then at intervals. */
  async startSweep(everyMs: number, logger: Logger | undefined): Promise<void> {
    await this.indexExpiries();
    while (await this.removeSome());
    this.sweep = startExpirySweep({
      ...{ what: 'Checkpoints of worker groups', everyMs, logger },
      removeSome: () => this.removeSome(),
    });
  }

  async load(topic: string, group: string): Promise<GroupCheckpoint | undefined> {
    this.transactions.assertOpen();
    return this.groups.get([topic, group]);
  }

  async write(group: GroupCheckpoint): Promise<void> {
    await this.transactions.run(() => {
      const id: GroupId = [group.topic, group.group];
      this.forget(id);
      this.groups.putSync(id, group);
      this.expiries.putSync([group.expiresAt, ...id], true);
    });
  }

  async remove(topic: string, group: string): Promise<void> {
    await this.transactions.run(() => this.forget([topic, group]));
  }

  readonly close = once(() => this.transactions.close(async () => this.sweep?.stop()));

  /** Within a transaction. */
  private forget(id: GroupId): void {
    const known = this.groups.get(id);
    if (known === undefined) return;
    this.groups.removeSync(id);
    this.expiries.removeSync([known.expiresAt, ...id]);
  }

  /** Earlier versions wrote the groups alone. */
  private async indexExpiries(): Promise<void> {
    const missing: Expiry[] = [];
    for (const { key, value } of this.groups.getRange()) {
      const expiry: Expiry = [value.expiresAt, ...key];
      if (!this.expiries.doesExist(expiry)) missing.push(expiry);
    }
    if (missing.length === 0) return;
    await this.transactions.run(() => {
      for (const expiry of missing) this.expiries.putSync(expiry, true);
    });
  }

  /** Of groups that were empty for too long. */
  private async removeSome(): Promise<boolean> {
    const end: Expiry = [this.clock.now() + 1, '', ''];
    const due = [...this.expiries.getKeys({ start: [0, '', ''], end, limit: step })];
    if (due.length === 0) return false;
    await this.transactions.run(() => {
      for (const expiry of due) {
        const [expiresAt, ...id] = expiry;
        this.expiries.removeSync(expiry);
        // Meanwhile the group may have been written anew.
        if (this.groups.get(id)?.expiresAt === expiresAt) this.groups.removeSync(id);
      }
    });
    return due.length === step;
  }
}

interface Files {
  file(name: string): string;
}

/** In `groups.lmdb` in the data folder; resolves when the checkpoints that have expired are removed. */
export const openEmbeddedGroupStore = async (
  folder: Files,
  { clock = systemClock, logger, expiryEveryMs = everyMinute }: GroupStoreOptions = {},
): Promise<GroupStore> => {
  const store = new EmbeddedGroupStore(folder.file('groups.lmdb'), clock);
  await store.startSweep(expiryEveryMs, logger);
  return store;
};
