import type { RoomwireError } from '../errors.js';
import { deferred, Emitter, type Deferred } from '../primitives.js';
import type { Filter } from '../protocol/frames.js';
import type { Hydration, HydrationHandler, MessageHandler } from './message.js';
import type { SubscribeOptions } from './subscribeOptions.js';
import { Turns } from './turns.js';

/** A caller with a handler on a topic. */
export interface Member {
  readonly handler: MessageHandler;
  readonly options: Pick<SubscribeOptions, 'onGap' | 'onHydration' | 'ack' | 'jobs'>;
  readonly turns: Turns;
  readonly listeners: Emitter<{ hydration: Hydration }>;
  hydration: Hydration | undefined;
  /** The subscribe promise: settles with the first answer of the server, and the position at that time. */
  readonly started: Deferred<string | undefined>;
  hasStarted: boolean;
  readonly ended: Deferred<RoomwireError | undefined>;
}

/** The callers that share a topic's subscription, and those that have left and wait for its end. */
export class Members {
  private readonly present = new Set<Member>();
  private leaving: Deferred<void>[] = [];

  get list(): readonly Member[] {
    return [...this.present];
  }

  get any(): boolean {
    return this.present.size > 0;
  }

  has(member: Member): boolean {
    return this.present.has(member);
  }

  add(handler: MessageHandler, options: SubscribeOptions): Member {
    const member: Member = {
      ...{ handler, options, turns: new Turns(options.concurrency) },
      ...{ listeners: new Emitter(), hydration: undefined },
      ...{ started: deferred(), hasStarted: false, ended: deferred() },
    };
    this.present.add(member);
    return member;
  }

  /** Resolves at `release`, or at once where others stay. */
  remove(member: Member): Promise<void> {
    this.present.delete(member);
    member.ended.resolve(undefined);
    if (this.any) return Promise.resolve();
    const left = deferred<void>();
    this.leaving.push(left);
    return left.promise;
  }

  start(position: string | undefined): void {
    for (const member of this.present) {
      member.hasStarted = true;
      member.started.resolve(position);
    }
  }

  /** Those that have not started; the others stay. */
  dismiss(reason: RoomwireError): void {
    for (const member of this.list.filter(({ hasStarted }) => !hasStarted)) {
      this.present.delete(member);
      member.ended.resolve(undefined);
      member.started.reject(reason);
    }
  }

  /** Whether one of them loses what it had: `lost` is the error for those, `reason` is for those that are still pending. */
  expel(reason: RoomwireError, lost: RoomwireError | undefined): boolean {
    this.dismiss(reason);
    const had = this.any;
    for (const { ended } of this.present) ended.resolve(lost);
    this.present.clear();
    return had;
  }

  release(): void {
    for (const left of this.leaving) left.resolve();
    this.leaving = [];
  }
}

/** For those who listen from now on as well as for what has come already. */
export const onHydration = (member: Member, listener: HydrationHandler): (() => void) => {
  const { hydration } = member;
  const stop = member.listeners.on('hydration', listener);
  if (hydration !== undefined) listener(hydration);
  return stop;
};

export type Filters = readonly Filter[] | undefined;

interface Update {
  readonly filters: Filters;
  readonly made: Deferred<void>;
}

/** The filters that the server has for a topic, and the updates that are pending. */
export class FilterUpdates {
  /** As they went with the last request, answered or not. */
  sent: Filters;
  private confirmed: Filters;
  private waiting: Update[] = [];

  add(filters: Filters): Promise<void> {
    const made = deferred<void>();
    this.waiting.push({ filters, made });
    return made.promise;
  }

  /** The server has what was wanted last; what was wanted before that has been replaced. */
  settle(): void {
    this.confirmed = this.sent;
    for (const { made } of this.waiting.splice(0)) made.resolve();
  }

  /** The server keeps the filters that it had, which are returned. */
  refused(error: RoomwireError): Filters {
    const refused = this.waiting.filter(({ filters }) => filters === this.sent);
    this.waiting = this.waiting.filter(({ filters }) => filters !== this.sent);
    this.sent = this.confirmed;
    for (const { made } of refused) made.reject(error);
    return this.confirmed;
  }

  rejectAll(error: RoomwireError): void {
    for (const { made } of this.waiting.splice(0)) made.reject(error);
  }
}
