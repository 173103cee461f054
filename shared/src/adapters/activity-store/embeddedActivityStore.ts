import type { Database } from 'lmdb';
import type {
  ActivityFound,
  ActivityRange,
  ActivityStore,
  ActivityWriter,
  MinuteAccount,
} from '../../ports/activityStore.js';
import { EngineUnavailable } from '../../ports/errors.js';
import { once } from '../../runtime/service.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { accountsOf, hourOf, placeOf, type HourCounts } from './activityHours.js';

type HourKey = [projectId: string, hour: number, writer: string];

/** Removals in one transaction. */
const step = 500;

/** The activity of projects in an LMDB file. */
class EmbeddedActivityStore implements ActivityStore {
  private readonly environment: DurableEnvironment;
  private readonly hours: Database<HourCounts, HourKey>;
  /** The same keys by time, for those that expire. */
  private readonly byHour: Database<boolean, [hour: number, projectId: string, writer: string]>;
  private readonly writers: Database<ActivityWriter, string>;
  private isOpen = true;

  constructor(path: string) {
    this.environment = openDurableEnvironment(path);
    const { root } = this.environment;
    this.hours = root.openDB('hours', { encoding: 'json' });
    this.byHour = root.openDB('byHour', { encoding: 'ordered-binary' });
    this.writers = root.openDB('writers', { encoding: 'json' });
  }

  note(accounts: readonly MinuteAccount[], writer: ActivityWriter): Promise<void> {
    return this.transact(() => {
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
    this.assertOpen();
    const range = { start: [projectId, hourOf(from)], end: [projectId, hourOf(to - 1) + 1] };
    const hours = [...this.hours.getRange(range)];
    return {
      writers: [...this.writers.getRange()].map(({ value }) => value),
      accounts: hours.flatMap(({ key, value }) => accountsOf(key[1], value)),
    };
  }

  async prune(before: number): Promise<void> {
    for (;;) {
      this.assertOpen();
      const keys = [...this.byHour.getKeys({ end: [hourOf(before)], limit: step })];
      await this.transact(() => {
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

  readonly close = once(async () => {
    this.isOpen = false;
    await this.environment.close();
  });

  private async transact(work: () => void): Promise<void> {
    this.assertOpen();
    await this.environment.transact(work).catch((cause: unknown) => {
      throw new EngineUnavailable('activity of projects', { cause });
    });
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('activity of projects');
  }
}

interface Files {
  file(name: string): string;
}

export const openEmbeddedActivityStore = async (folder: Files): Promise<ActivityStore> =>
  new EmbeddedActivityStore(folder.file('activity.lmdb'));
