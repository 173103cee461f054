import { createHash } from 'node:crypto';
import type { AccessEntry, AccessLog, Refusal } from '../ports/accessLog.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { LimitReports } from './limitReports.js';
import { once } from './service.js';
import { placeOf } from '../wire/accessPlaces.js';
import { limitTable } from '../wire/limits/limitTable.js';

export interface AccessRecorderDeps {
  readonly accessLog: AccessLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: LimitReports | undefined;
  readonly writeEveryMs?: number;
  readonly pruneEveryMs?: number;
  readonly mostWaiting?: number;
}

/** What is the same in refusals that are one entry. */
type Alike = 'route' | 'credential';

const longestPrincipal = 500;

/** Counts refused calls and writes them to the access log every second, so that no answer waits for it and a flood costs little. */
export class AccessRecorder {
  private readonly deps: AccessRecorderDeps;
  private readonly mostWaiting: number;
  private readonly timers: readonly NodeJS.Timeout[];
  private waiting = new Map<string, AccessEntry>();
  private working: Promise<void> | undefined;
  private hasFailed = false;

  constructor(deps: AccessRecorderDeps) {
    this.deps = deps;
    this.mostWaiting = deps.mostWaiting ?? limitTable.accessLogWaiting.value;
    const { writeEveryMs = 1_000, pruneEveryMs = 3_600_000 } = deps;
    this.timers = [
      setInterval(() => void this.write(), writeEveryMs).unref(),
      setInterval(() => void this.prune(), pruneEveryMs).unref(),
    ];
  }

  /** Whoever has no rights may try every route: failures of one credential are one entry, whatever they were for. */
  refused(refusal: Refusal, alike: Alike): void {
    const at = this.deps.clock.now();
    const principal = refusal.principal.slice(0, longestPrincipal);
    const place = placeOf(at, digestOf({ ...refusal, principal }, alike));
    this.add({ ...refusal, principal, at, place, count: 1 });
  }

  readonly close = once(async () => {
    for (const timer of this.timers) clearInterval(timer);
    await this.working;
    await this.write();
  });

  private add(entry: AccessEntry): void {
    const key = `${entry.organizationId} ${entry.place}`;
    const known = this.waiting.get(key);
    if (known) this.waiting.set(key, { ...known, count: known.count + entry.count });
    else if (this.waiting.size < this.mostWaiting) this.waiting.set(key, entry);
    else {
      const { organizationId } = entry;
      this.deps.limits?.reached('accessLogWaiting', { organizationId }, entry.count);
    }
  }

  private write(): Promise<void> {
    return (this.working ??= this.writeWaiting().finally(() => (this.working = undefined)));
  }

  private async writeWaiting(): Promise<void> {
    if (this.waiting.size === 0) return;
    const { accessLog, logger, limits } = this.deps;
    const entries = [...this.waiting.values()];
    this.waiting = new Map();
    try {
      const evicted = await accessLog.record(entries);
      if (evicted > 0) limits?.reached('accessLogEntries', { evicted }, evicted);
      this.hasFailed = false;
    } catch (error) {
      for (const entry of entries) this.add(entry);
      if (!this.hasFailed) logger.warn('The access log cannot be written; retrying', { error });
      this.hasFailed = true;
    }
  }

  private async prune(): Promise<void> {
    const { accessLog, logger, limits } = this.deps;
    try {
      const expired = await accessLog.prune();
      if (expired > 0) limits?.reached('accessLogRetention', { expired }, expired);
    } catch (error) {
      logger.warn('Old entries of the access log cannot be removed; retrying', { error });
    }
  }
}

const digestOf = ({ principal, reason, status, method, route }: Refusal, alike: Alike): string =>
  createHash('sha256')
    .update(JSON.stringify([principal, reason, status, ...(alike === 'route' ? [method, route] : [])]))
    .digest('hex')
    .slice(0, 24);
