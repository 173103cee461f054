import { nothing, type Schedule } from '../primitives.js';
import type { PendingPublish } from './pendingPublish.js';

export interface ResendingContext {
  readonly schedule: Schedule;
  send(publish: PendingPublish): void;
}

/** The server counts the publishes of a connection by the second. */
const pauseMs = 1_000;

/**
 * Publishes that are sent after a reconnect, each when the one before it is answered: the server may refuse one of
 * many for their rate, and those behind it would overtake it.
 */
export class Resending {
  private readonly context: ResendingContext;
  private waiting: PendingPublish[] = [];
  private cancelPause = nothing;

  constructor(context: ResendingContext) {
    this.context = context;
  }

  get isUnderWay(): boolean {
    return this.waiting.length > 0;
  }

  start(publishes: Iterable<PendingPublish>): void {
    this.stop();
    this.waiting = [...publishes];
    this.sendFirst();
  }

  /** Behind all others. */
  add(publish: PendingPublish): void {
    this.waiting.push(publish);
  }

  /** It needs no further attempt. */
  settled(publish: PendingPublish): void {
    const wasFirst = publish === this.waiting[0];
    this.waiting = this.waiting.filter((waiting) => waiting !== publish);
    if (!wasFirst) return;
    this.cancelPause();
    this.sendFirst();
  }

  /** Sends it once more in a moment; false for one that is not under way here. */
  putOff(publish: PendingPublish): boolean {
    if (publish !== this.waiting[0]) return false;
    this.cancelPause = this.context.schedule(() => this.sendFirst(), pauseMs);
    return true;
  }

  stop(): void {
    this.cancelPause();
    this.waiting = [];
  }

  private sendFirst(): void {
    const [first] = this.waiting;
    if (first !== undefined) this.context.send(first);
  }
}
