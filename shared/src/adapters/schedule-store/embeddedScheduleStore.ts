import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import type {
  BegunDelivery,
  DeliveryBegin,
  HeldSchedules,
  NewSchedule,
  ScheduledPublish,
  ScheduleFilter,
  ScheduleStore,
} from '../../ports/scheduleStore.js';
import { once } from '../../runtime/service.js';
import { createGroupCommit } from '../lmdb/groupCommit.js';
import { StoreTransactions } from '../lmdb/storeTransactions.js';
import { ScheduleTables } from './scheduleTables.js';

/** Removals in one transaction, which takes a few milliseconds. */
const step = 100;

/** Scheduled publishes in an LMDB file. */
class EmbeddedScheduleStore implements ScheduleStore {
  private readonly tables: ScheduleTables;
  private readonly transactions: StoreTransactions;

  private readonly adds = createGroupCommit<NewSchedule, void>({
    transact: (work) => this.tables.environment.transact(work),
    write: (schedules) => schedules.map((schedule) => this.tables.add(schedule)),
    committed: () => undefined,
    bytesOf: ({ data }) => data.length,
  });

  constructor(path: string) {
    this.tables = new ScheduleTables(path);
    this.transactions = new StoreTransactions(this.tables.environment, 'schedules');
  }

  async add(schedules: readonly NewSchedule[]): Promise<void> {
    this.transactions.assertOpen();
    await Promise.all(schedules.map((schedule) => this.adds.submit(schedule))).catch(
      this.transactions.unavailable,
    );
  }

  cancel(projectId: string, scheduledId: string): Promise<boolean> {
    return this.transactions.run(() => {
      const entry = this.tables.get(scheduledId);
      if (entry?.publish.projectId !== projectId || entry.messageId !== null) return false;
      return this.tables.remove(scheduledId);
    });
  }

  async list(projectId: string, filter: ScheduleFilter): Promise<readonly ScheduledPublish[]> {
    this.transactions.assertOpen();
    return this.tables.list(projectId, filter);
  }

  async held(projectId: string): Promise<HeldSchedules> {
    this.transactions.assertOpen();
    return this.tables.held(projectId);
  }

  async due(shards: readonly number[], until: number, limit: number): Promise<readonly ScheduledPublish[]> {
    this.transactions.assertOpen();
    return this.tables.due(new Set(shards), until, limit);
  }

  begin(deliveries: readonly DeliveryBegin[]): Promise<readonly BegunDelivery[]> {
    return this.transactions.run(() => deliveries.flatMap((delivery) => this.beginOne(delivery)));
  }

  async end(deliveries: readonly Pick<DeliveryBegin, 'scheduledId' | 'term'>[]): Promise<void> {
    await this.transactions.run(() => {
      for (const { scheduledId, term } of deliveries) {
        const entry = this.tables.get(scheduledId);
        if (entry !== undefined && entry.term <= term) this.tables.remove(scheduledId);
      }
    });
  }

  async removeOf(owners: readonly string[]): Promise<number> {
    let removed = 0;
    for (const owner of owners)
      for (let ids = this.idsOf(owner); ids.length > 0; ids = this.idsOf(owner)) {
        const some = ids;
        removed += await this.transactions.run(() => some.filter((id) => this.tables.remove(id)).length);
      }
    return removed;
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    this.transactions.assertOpen();
    return this.tables.progress.checkpoint;
  }

  async moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    await this.transactions.run(() => this.tables.progress.move(position, origin));
  }

  async origin(): Promise<LogOrigin | undefined> {
    this.transactions.assertOpen();
    return this.tables.progress.origin;
  }

  readonly close = once(() => this.transactions.close(() => this.adds.idle()));

  private idsOf(owner: string): readonly string[] {
    this.transactions.assertOpen();
    return this.tables.idsOf(owner, step);
  }

  /** Within a transaction. */
  private beginOne({ scheduledId, term, messageId }: DeliveryBegin): readonly BegunDelivery[] {
    const entry = this.tables.get(scheduledId);
    if (entry === undefined || entry.term > term) return [];
    const { publish } = entry;
    const begun = { publish, term, messageId: entry.messageId ?? messageId };
    this.tables.begin(begun);
    const isRepeated = entry.messageId !== null;
    return [{ publish, data: this.tables.dataOf(scheduledId), messageId: begun.messageId, isRepeated }];
  }
}

interface Files {
  file(name: string): string;
}

/** In `schedules.lmdb` in the data folder. */
export const openEmbeddedScheduleStore = async (folder: Files): Promise<ScheduleStore> =>
  new EmbeddedScheduleStore(folder.file('schedules.lmdb'));
