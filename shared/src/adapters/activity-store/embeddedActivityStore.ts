import type { Database } from 'lmdb';
import type {
  ActivityFound,
  ActivityRange,
  ActivityStore,
  ActivityWriter,
  MinuteAccount,
} from '../../ports/activityStore.js';
import { once } from '../../runtime/service.js';
import { openDurableEnvironment } from '../lmdb/durableEnvironment.js';
import { StoreTransactions } from '../lmdb/storeTransactions.js';
import { accountsOf, hourOf, placeOf, type HourCounts } from './activityHours.js';

type HourKey = [projectId: string, hour: number, writer: string];

/** Removals in one transaction. */
const step = 500;

/** The activity of projects in an LMDB file. */
class EmbeddedActivityStore implements ActivityStore {
  private readonly transactions: StoreTransactions;
  private readonly hours: Database<HourCounts, HourKey>;
  /** The same keys by time, for those that expire. */
  private readonly byHour: Database<boolean, [hour: number, projectId: string, writer: string]>;
  private readonly writers: Database<ActivityWriter, string>;

  constructor(path: string) {
    const environment = openDurableEnvironment(path);
    const { root } = environment;
    this.transactions = new StoreTransactions(environment, 'activity of projects');
    this.hours = root.openDB('hours', { encoding: 'json' });
    this.byHour = root.openDB('byHour', { encoding: 'ordered-binary' });
    this.writers = root.openDB('writers', { encoding: 'json' });
  }

  note(accounts: readonly MinuteAccount[], writer: ActivityWriter): Promise<void> {
    return this.transactions.run(() => {
      for (const { minute, projects } of accounts)
        for (const [projectId, counts] of projects) {
          const key: HourKey = [projectId, hourOf(minute), writer.writer];
          this.hours.putSync(key, { ...this.hours.get(key), [placeOf(minute)]: counts });
          this.byHour.putSync([hourOf(minute), projectId, writer.writer], true);
        }
      this.writers.putSync(writer.writer, writer);
    });
  }

  async find({ projectId, from, to }: ActivityRange): Promise<ActivityFound> {
    this.transactions.assertOpen();
    const range = { start: [projectId, hourOf(from)], end: [projectId, hourOf(to - 1) + 1] };
    const hours = [...this.hours.getRange(range)];
    return {
      writers: [...this.writers.getRange()].map(({ value }) => value),
      accounts: hours.flatMap(({ key, value }) => accountsOf(key[1], value)),
    };
  }

  async prune(before: number): Promise<void> {
    for (;;) {
      this.transactions.assertOpen();
      const keys = [...this.byHour.getKeys({ end: [hourOf(before)], limit: step })];
      await this.transactions.run(() => {
        for (const [hour, projectId, writer] of keys) {
          this.hours.removeSync([projectId, hour, writer]);
          this.byHour.removeSync([hour, projectId, writer]);
        }
        for (const { key, value } of this.writers.getRange())
          if (value.upTo < before) this.writers.removeSync(key);
      });
      if (keys.length < step) return;
    }
  }

  readonly close = once(() => this.transactions.close());
}

interface Files {
  file(name: string): string;
}

export const openEmbeddedActivityStore = async (folder: Files): Promise<ActivityStore> =>
  new EmbeddedActivityStore(folder.file('activity.lmdb'));
