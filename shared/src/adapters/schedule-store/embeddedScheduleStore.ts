import { EngineUnavailable } from '../../ports/errors.js';
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
import { ScheduleTables } from './scheduleTables.js';

/** Removals in one transaction, which takes a few milliseconds. */
const step = 100;

/** Scheduled publishes in an LMDB file. */
class EmbeddedScheduleStore implements ScheduleStore {
  private readonly tables: ScheduleTables;
  private isOpen = true;
  private working: Promise<unknown> = Promise.resolve();

  private readonly adds = createGroupCommit<NewSchedule, void>({
    transact: (work) => this.tables.environment.transact(work),
    write: (schedules) => schedules.map((schedule) => this.tables.add(schedule)),
    committed: () => undefined,
    bytesOf: ({ data }) => data.length,
  });

  constructor(path: string) {
    this.tables = new ScheduleTables(path);
  }

  async add(schedules: readonly NewSchedule[]): Promise<void> {
    this.assertOpen();
    await Promise.all(schedules.map((schedule) => this.adds.submit(schedule))).catch(unavailable);
  }

  cancel(projectId: string, scheduledId: string): Promise<boolean> {
    return this.transact(() => {
      const entry = this.tables.get(scheduledId);
      if (entry?.publish.projectId !== projectId || entry.messageId !== null) return false;
      return this.tables.remove(scheduledId);
    });
  }

  async list(projectId: string, filter: ScheduleFilter): Promise<readonly ScheduledPublish[]> {
    this.assertOpen();
    return this.tables.list(projectId, filter);
  }

  async held(projectId: string): Promise<HeldSchedules> {
    this.assertOpen();
    return this.tables.held(projectId);
  }

  async due(shards: readonly number[], until: number, limit: number): Promise<readonly ScheduledPublish[]> {
    this.assertOpen();
    return this.tables.due(new Set(shards), until, limit);
  }

  begin(deliveries: readonly DeliveryBegin[]): Promise<readonly BegunDelivery[]> {
    return this.transact(() => deliveries.flatMap((delivery) => this.beginOne(delivery)));
  }

  async end(deliveries: readonly Pick<DeliveryBegin, 'scheduledId' | 'term'>[]): Promise<void> {
    await this.transact(() => {
      for (const { scheduledId, term } of deliveries) {
        const entry = this.tables.get(scheduledId);
        if (entry !== undefined && entry.term <= term) this.tables.remove(scheduledId);
      }
    });
  }

  async removeOf(owners: readonly string[]): Promise<number> {
    let removed = 0;
    for (const owner of owners)
      for (let ids = this.tables.idsOf(owner, step); ids.length > 0; ids = this.tables.idsOf(owner, step)) {
        const some = ids;
        removed += await this.transact(() => some.filter((id) => this.tables.remove(id)).length);
      }
    return removed;
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    this.assertOpen();
    return this.tables.progress.checkpoint;
  }

  async moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    await this.transact(() => this.tables.progress.move(position, origin));
  }

  async origin(): Promise<LogOrigin | undefined> {
    this.assertOpen();
    return this.tables.progress.origin;
  }

  readonly close = once(async () => {
    this.isOpen = false;
    await Promise.all([this.adds.idle(), this.working]);
    await this.tables.environment.close();
  });

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

  private async transact<T>(work: () => T): Promise<T> {
    this.assertOpen();
    const done = this.tables.environment.transact(work);
    this.working = done.catch(() => undefined);
    return done.catch(unavailable);
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('schedules');
  }
}

const unavailable = (cause: unknown): never => {
  throw new EngineUnavailable('schedules', { cause });
};

interface Files {
  file(name: string): string;
}

/** In `schedules.lmdb` in the data folder. */
export const openEmbeddedScheduleStore = async (folder: Files): Promise<ScheduleStore> =>
  new EmbeddedScheduleStore(folder.file('schedules.lmdb'));
