import { createHash } from 'node:crypto';
import type { ActivitySink } from '../activity/activity.js';
import type { AccessEntry, AccessLog, Refusal } from '../ports/accessLog.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { LimitReports } from './limitReports.js';
import { Outage } from './outage.js';
import { once } from './service.js';
import { placeOf } from '../wire/accessPlaces.js';
import { limitTable, type LimitName } from '../wire/limits/limitTable.js';

export interface AccessRecorderDeps {
  readonly accessLog: Pick<AccessLog, 'record' | 'prune'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: LimitReports | undefined;
  readonly activity?: Pick<ActivitySink, 'add'> | undefined;
  readonly writeEveryMs?: number;
  readonly pruneEveryMs?: number;
  readonly mostWaiting?: number;
  readonly mostWaitingOfOrganization?: number;
}

/** What is the same in refusals that are one entry. */
type Alike = 'route' | 'credential';

const longestPrincipal = 500;

/** Counts refused calls and writes them to the access log every second, so that no answer waits for it and a flood costs little. */
export class AccessRecorder {
  private readonly deps: AccessRecorderDeps;
  private readonly mostWaiting: number;
  private readonly mostWaitingOfOrganization: number;
  private readonly timers: readonly NodeJS.Timeout[];
  private waiting = new Map<string, AccessEntry>();
  /** Entries that wait, by organization. */
  private waitingOf = new Map<string, number>();
  private working: Promise<void> | undefined;
  private readonly outage: Outage;

  constructor(deps: AccessRecorderDeps) {
    this.deps = deps;
    this.outage = new Outage({
      logger: deps.logger,
      lost: 'The access log cannot be written; retrying',
      back: 'The access log is written again',
    });
    this.mostWaiting = deps.mostWaiting ?? limitTable.accessLogWaiting.value;
    this.mostWaitingOfOrganization =
      deps.mostWaitingOfOrganization ?? limitTable.accessLogWaitingPerOrganization.value;
    const { writeEveryMs = 1_000, pruneEveryMs = 3_600_000 } = deps;
    this.timers = [
      setInterval(() => void this.write(), writeEveryMs).unref(),
      setInterval(() => void this.prune(), pruneEveryMs).unref(),
    ];
  }

  /** A caller without rights may try every route: all failures of one credential are a single entry. */
  refused(refusal: Refusal, alike: Alike): void {
    const at = this.deps.clock.now();
    const principal = refusal.principal.slice(0, longestPrincipal);
    if (refusal.projectId !== null) this.deps.activity?.add(refusal.projectId, 'refusals');
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
    else this.addNew(key, entry);
  }

  private addNew(key: string, entry: AccessEntry): void {
    const { organizationId } = entry;
    const ofOrganization = this.waitingOf.get(organizationId) ?? 0;
    const reached = (limit: LimitName) => this.deps.limits?.reached(limit, { organizationId }, entry.count);
    if (this.waiting.size >= this.mostWaiting) return reached('accessLogWaiting');
    if (ofOrganization >= this.mostWaitingOfOrganization) return reached('accessLogWaitingPerOrganization');
    this.waiting.set(key, entry);
    this.waitingOf.set(organizationId, ofOrganization + 1);
  }

  private write(): Promise<void> {
    return (this.working ??= this.writeWaiting().finally(() => (this.working = undefined)));
  }

  private async writeWaiting(): Promise<void> {
    if (this.waiting.size === 0) return;
    const { accessLog, limits } = this.deps;
    const entries = [...this.waiting.values()];
    this.waiting = new Map();
    this.waitingOf = new Map();
    try {
      const evicted = await accessLog.record(entries);
      if (evicted > 0) limits?.reached('accessLogEntries', { evicted }, evicted);
      this.outage.over();
    } catch (error) {
      for (const entry of entries) this.add(entry);
      this.outage.failed(error);
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
