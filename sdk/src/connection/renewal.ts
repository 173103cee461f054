import type { RoomwireError } from '../errors.js';
import { nothing, type Random, type Schedule } from '../primitives.js';
import { nextDelay, retryDecision } from './reconnect.js';
import { flawError, type Tokens } from './tokens.js';
import { tokenTimes } from './tokenText.js';

export interface RenewalContext {
  readonly tokens: Tokens;
  readonly schedule: Schedule;
  readonly random: Random;
  now(): number;
  /** Resolves with the `authExpiresAt` of the answer; rejects with the refusal, or because there was none. */
  reauthenticate(token: string): Promise<number | undefined>;
  onError(error: RoomwireError): void;
}

/** Parts of a token's life. Many that connect at once spread their first renewal, and with it all that follow. */
const firstFrom = 0.4;
const from = 0.75;
const to = 0.9;
/** Part of the time that is left when the server tells of it. */
const noticed = 0.6;

/** Timers stand still while a machine sleeps: the clock is looked at again and again. */
const longestWaitMs = 15_000;
const shortestWaitMs = 500;
/** Of a token of which neither the server nor the clock says how long it will live. */
const assumedLifeMs = 60_000;

/** Gives one connection a new token before the one that it has expires, as long as the connection lives. */
export class Renewal {
  private readonly context: RenewalContext;
  private cancel = nothing;
  private leftMs = Infinity;
  private lookedAt = 0;
  private lifeMs = assumedLifeMs;
  private expiresAt: number | undefined;
  private failures = 0;
  private isBusy = false;
  private isStopped = false;

  /** `expiresAt` as the server has said it, if it has. */
  constructor(context: RenewalContext, expiresAt: number | undefined) {
    this.context = context;
    if (context.tokens.areRenewable) this.plan(expiresAt, firstFrom);
  }

  /** The server says that 30 s are left, or half of a shorter life. By lot, unless it was planned for then: many are told at once. */
  expiring(): void {
    if (!this.context.tokens.areRenewable || this.isBusy) return;
    this.woken();
    const withinMs = Math.min(30_000, this.lifeMs / 2) * noticed;
    if (this.leftMs > withinMs) this.wait(withinMs * this.context.random());
  }

  /** Time may have passed that no timer has noticed. */
  woken(): void {
    if (this.leftMs !== Infinity) this.look(0);
  }

  stop(): void {
    this.isStopped = true;
    this.cancel();
  }

  private plan(expiresAt: number | undefined, earliest: number): void {
    const life = lifeOf(this.context.tokens.inUse ?? '', expiresAt, this.context.now());
    this.leftMs = Infinity;
    this.expiresAt = expiresAt;
    if (life === undefined) return;
    this.lifeMs = life;
    this.wait(life * (earliest + (to - earliest) * this.context.random()));
  }

  private wait(leftMs: number): void {
    this.cancel();
    this.leftMs = Math.max(shortestWaitMs, Math.round(leftMs));
    this.sleep();
  }

  private sleep(): void {
    this.lookedAt = this.context.now();
    const forMs = Math.min(this.leftMs, longestWaitMs);
    this.cancel = this.context.schedule(() => this.look(forMs), forMs);
  }

  /** What the timer has measured counts as well: a clock may be set back. */
  private look(atLeastMs: number): void {
    if (this.isBusy || this.isStopped) return;
    this.cancel();
    this.leftMs -= Math.max(atLeastMs, this.context.now() - this.lookedAt);
    if (this.leftMs > 0) this.sleep();
    else void this.renew();
  }

  private async renew(): Promise<void> {
    if (this.isBusy || this.isStopped) return;
    this.isBusy = true;
    this.cancel();
    try {
      const expiresAt = await this.attempt();
      this.failures = 0;
      if (!this.isStopped) this.plan(expiresAt, from);
    } catch (error) {
      if (!this.isStopped) this.failed(error as RoomwireError);
    }
    this.isBusy = false;
  }

  private async attempt(): Promise<number | undefined> {
    const { tokens } = this.context;
    const token = await tokens.obtain();
    // The next connection asks for itself; and a function may give what it gave before, as long as that is good.
    if (this.isStopped || token === tokens.inUse) return this.expiresAt;
    const flaw = tokens.refusalOf(token) ?? flawError(token);
    if (flaw !== undefined) throw flaw;
    try {
      const expiresAt = await this.context.reauthenticate(token);
      if (!this.isStopped) this.taken(token);
      return expiresAt;
    } catch (error) {
      const decision = retryDecision(error as RoomwireError);
      if (decision !== 'stop' && decision.tokenRefused) tokens.refused(token, error as RoomwireError);
      throw error;
    }
  }

  private taken(token: string): void {
    this.context.tokens.use(token);
    this.context.tokens.accepted();
  }

  /** Until the token expires: then the server ends the connection, and the next one begins with another token. */
  private failed(error: RoomwireError): void {
    this.failures += 1;
    const baseMs = Math.min(1_000, this.lifeMs / 20);
    const pace = { baseMs, multiplier: 2, maxMs: longestWaitMs, jitter: 0.5 };
    this.wait(nextDelay(this.failures, pace, this.context.random));
    this.context.onError(error);
  }
}

/** How long a token that the server has just taken will live; undefined for one that does not expire. */
export const lifeOf = (token: string, saidAt: number | undefined, nowMs: number): number | undefined => {
  const { issuedAt, expiresAt } = tokenTimes(token);
  const end = saidAt ?? expiresAt;
  if (end === undefined) return undefined;
  const whole = issuedAt === undefined ? Infinity : (end - issuedAt) * 1_000;
  const left = end * 1_000 - nowMs;
  // A clock that says it has expired already is wrong, and so is one that gives it more than its whole life.
  if (left > 0) return Math.min(left, whole > 0 ? whole : left);
  return whole > 0 && whole < Infinity ? whole : assumedLifeMs;
};
