import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Random } from '@roomwire/shared/ports/random';
import type { LimitName } from '@roomwire/shared/wire/limits/limitTable';
import type { WebhookConsumerOptions } from '../options.js';

type Limits = Pick<WebhookConsumerOptions, 'maxBacklogCalls' | 'maxBacklogBytes'>;

interface QuotaDeps {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly random: Random;
}

export type BacklogLimit = Extract<LimitName, 'webhookBacklogCalls' | 'webhookBacklogBytes'>;

/** The calls of a project that this process has put into the backlog, and that have not left it. */
interface Account {
  /** On each of them, so that only these are counted out again. */
  readonly id: string;
  calls: number;
  bytes: number;
  /** When a call of the project was last taken from the backlog. */
  lastTaken: number;
}

/** A backlog from which nothing was taken for so long is worked on by another process. */
const forgottenAfterMs = 60_000;

/**
 * [HOOK-BACKLOG-1] How much of the backlog a project has. The queue has the project as its key, so that one process at a time
 * takes all of a project's calls from it: that process counts. A call that has no capacity goes around, from the front
 * of the queue to its end, so a process that has just taken over knows the whole backlog after one round, and another one that
 * puts a call into it, without knowing, leaves the decision to it.
 */
export class BacklogQuota {
  private readonly deps: QuotaDeps;
  private readonly accounts = new Map<string, Account>();

  constructor(deps: QuotaDeps) {
    this.deps = deps;
  }

  /** A call has come from the backlog: this is the process that counts. */
  taken({ projectId }: WebhookCall): void {
    const now = this.deps.clock.monotonic();
    const account = this.accountOf(projectId, now);
    if (account) account.lastTaken = now;
    else this.open(projectId, now);
  }

  /** Why the backlog has no room for one more; undefined where it has. A call that is in it already has its place. */
  limitFor(call: WebhookCall): BacklogLimit | undefined {
    const account = this.accountOf(call.projectId, this.deps.clock.monotonic());
    if (account === undefined || call.putOffBy === account.id) return undefined;
    const { maxBacklogCalls, maxBacklogBytes } = this.deps.limits;
    if (account.calls >= maxBacklogCalls) return 'webhookBacklogCalls';
    return account.bytes + sizeOf(call) > maxBacklogBytes ? 'webhookBacklogBytes' : undefined;
  }

  /** The call as it goes into the backlog. */
  putOff(call: WebhookCall): WebhookCall {
    const account = this.accountOf(call.projectId, this.deps.clock.monotonic());
    if (account === undefined) return { ...call, putOffBy: undefined };
    account.calls += 1;
    account.bytes += sizeOf(call);
    return { ...call, putOffBy: account.id };
  }

  /** A call that was taken is done with, or was put back. */
  left(call: WebhookCall): void {
    const account = this.accounts.get(call.projectId);
    if (account === undefined) return;
    if (call.putOffBy === account.id) {
      account.calls -= 1;
      account.bytes -= sizeOf(call);
    }
    if (account.calls === 0) this.accounts.delete(call.projectId);
  }

  private open(projectId: string, now: number): void {
    for (const other of this.accounts.keys()) this.accountOf(other, now);
    this.accounts.set(projectId, { id: this.deps.random.uuid(), calls: 0, bytes: 0, lastTaken: now });
  }

  private accountOf(projectId: string, now: number): Account | undefined {
    const account = this.accounts.get(projectId);
    if (account === undefined || now - account.lastTaken <= forgottenAfterMs) return account;
    this.accounts.delete(projectId);
    return undefined;
  }
}

/** Roughly what its record takes. */
const sizeOf = ({ data, url, headers }: WebhookCall): number =>
  headers.reduce(
    (bytes, [name, value]) => bytes + name.length + value.length,
    500 + data.length + url.length,
  );
