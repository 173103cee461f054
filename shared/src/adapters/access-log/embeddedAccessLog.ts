import type { Database } from 'lmdb';
import type { AccessEntry, AccessLog, AccessLogLimits, AccessRange } from '../../ports/accessLog.js';
import type { Clock } from '../../ports/clock.js';
import { EngineUnavailable } from '../../ports/errors.js';
import { once } from '../../runtime/service.js';
import { minuteOf } from '../../wire/accessPlaces.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { systemClock } from '../system/systemClock.js';
import { defaultAccessLogLimits } from './defaultLimits.js';

/** Removals in one transaction, which takes a few milliseconds. */
const step = 500;

/** Sorts behind every place. */
const end = '~';

type EntryKey = [organizationId: string, place: string];

/** The access log in an LMDB file. */
class EmbeddedAccessLog implements AccessLog {
  readonly limits: AccessLogLimits;
  private readonly clock: Clock;
  private readonly environment: DurableEnvironment;
  private readonly entries: Database<AccessEntry, EntryKey>;
  /** The same keys by time, for those that expire. */
  private readonly byTime: Database<boolean, [place: string, organizationId: string]>;
  private readonly counts: Database<number, string>;
  private isOpen = true;

  constructor(path: string, limits: AccessLogLimits, clock: Clock) {
    this.limits = limits;
    this.clock = clock;
    this.environment = openDurableEnvironment(path);
    const { root } = this.environment;
    this.entries = root.openDB('entries', { encoding: 'json' });
    this.byTime = root.openDB('byTime', { encoding: 'ordered-binary' });
    this.counts = root.openDB('counts', { encoding: 'ordered-binary' });
  }

  async record(entries: readonly AccessEntry[]): Promise<number> {
    let evicted = 0;
    await this.transact(() => {
      for (const entry of entries) this.add(entry);
      for (const organizationId of new Set(entries.map((entry) => entry.organizationId)))
        evicted += this.evict(organizationId);
    });
    return evicted;
  }

  async find({ organizationId, after = '', before = end, limit }: AccessRange): Promise<AccessEntry[]> {
    this.assertOpen();
    const found: AccessEntry[] = [];
    const range = { start: [organizationId, before], end: [organizationId, after], reverse: true } as const;
    // Where reversed, LMDB includes the start.
    for (const { key, value } of this.entries.getRange({ ...range, limit: limit + 1 } as object))
      if (key[1] !== before && found.length < limit) found.push(value);
    return found;
  }

  async prune(): Promise<number> {
    const oldest = minuteOf(this.clock.now() - this.limits.retentionMs);
    for (let removed = 0; ;) {
      this.assertOpen();
      const keys = [...this.byTime.getKeys({ end: [oldest], limit: step })];
      if (keys.length === 0) return removed;
      await this.transact(() => {
        for (const [place, organizationId] of keys) this.remove([organizationId, place]);
      });
      removed += keys.length;
    }
  }

  readonly close = once(async () => {
    this.isOpen = false;
    await this.environment.close();
  });

  /** Within a transaction. */
  private add(entry: AccessEntry): void {
    const key: EntryKey = [entry.organizationId, entry.place];
    const known = this.entries.get(key);
    if (known === undefined) {
      this.byTime.putSync([entry.place, entry.organizationId], true);
      this.counts.putSync(entry.organizationId, (this.counts.get(entry.organizationId) ?? 0) + 1);
    }
    const first = known && known.at <= entry.at ? known : entry;
    this.entries.putSync(key, { ...first, count: entry.count + (known?.count ?? 0) });
  }

  /** Within a transaction. */
  private evict(organizationId: string): number {
    const excess = (this.counts.get(organizationId) ?? 0) - this.limits.entriesPerOrganization;
    if (excess <= 0) return 0;
    const range = { start: [organizationId], end: [organizationId, end], limit: excess };
    const keys = [...this.entries.getKeys(range)];
    for (const key of keys) this.remove(key);
    return keys.length;
  }

  private remove([organizationId, place]: EntryKey): void {
    this.byTime.removeSync([place, organizationId]);
    if (!this.entries.removeSync([organizationId, place])) return;
    const left = (this.counts.get(organizationId) ?? 0) - 1;
    if (left > 0) this.counts.putSync(organizationId, left);
    else this.counts.removeSync(organizationId);
  }

  private async transact(work: () => void): Promise<void> {
    this.assertOpen();
    await this.environment.transact(work).catch((cause: unknown) => {
      throw new EngineUnavailable('access log', { cause });
    });
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('access log');
  }
}

interface Files {
  file(name: string): string;
}

export const openEmbeddedAccessLog = async (
  folder: Files,
  limits: AccessLogLimits = defaultAccessLogLimits,
  clock: Clock = systemClock,
): Promise<AccessLog> => new EmbeddedAccessLog(folder.file('access.lmdb'), limits, clock);
