import { deferred, type Deferred } from '../deferred.js';
import type { RoomwireError } from '../errors.js';
import type { MessageHandler } from './message.js';

/** A caller with a handler on a topic. */
export interface Member {
  readonly handler: MessageHandler;
  /** The subscribe promise: settles with the first answer of the server. */
  readonly started: Deferred<void>;
  hasStarted: boolean;
  readonly ended: Deferred<RoomwireError | undefined>;
}

/** Those who share a topic's wire subscription, and those who have left and wait for its end. */
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

  add(handler: MessageHandler): Member {
    const member: Member = { handler, started: deferred(), hasStarted: false, ended: deferred() };
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

  start(): void {
    for (const member of this.present) {
      member.hasStarted = true;
      member.started.resolve();
    }
  }

  /** Whether one of them loses what it had: `lost` is what those are told, `reason` goes to those who still wait. */
  expel(reason: RoomwireError, lost: RoomwireError | undefined): boolean {
    const members = this.list;
    this.present.clear();
    for (const member of members) {
      member.ended.resolve(lost);
      if (!member.hasStarted) member.started.reject(reason);
    }
    return members.some((member) => member.hasStarted);
  }

  release(): void {
    for (const left of this.leaving) left.resolve();
    this.leaving = [];
  }
}
