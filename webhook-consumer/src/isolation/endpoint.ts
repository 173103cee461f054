import { CallLanes, type Ended, type Waiting } from './callLanes.js';

/** Whom the calls of one place in a project go to, and how it does. */
export class Endpoint {
  readonly lanes = new CallLanes();
  /** When each call under way began, oldest first. */
  private readonly callsUnderWay = new Set<{ readonly since: number }>();
  /** What the last call was, once one has ended: bad is one that took long, or came to nothing. */
  private last: 'good' | 'bad' | undefined;

  get underWay(): number {
    return this.callsUnderWay.size;
  }

  get isIdle(): boolean {
    return this.underWay === 0 && this.lanes.isEmpty;
  }

  /** Slow, too, is one that owes an answer for longer than `slowMs`. */
  isSlow(now: number, slowMs: number): boolean {
    const [oldest] = this.callsUnderWay;
    return this.last === 'bad' || (oldest !== undefined && now - oldest.since > slowMs);
  }

  /** It keeps up, and has shown it. */
  isProven(now: number, slowMs: number): boolean {
    return this.last === 'good' && !this.isSlow(now, slowMs);
  }

  /** Gives what is to be called when the call has ended. */
  begin({ room }: Pick<Waiting, 'room'>, now: number): Ended {
    const call = { since: now };
    this.callsUnderWay.add(call);
    return (isGood) => {
      this.callsUnderWay.delete(call);
      this.last = isGood ? 'good' : 'bad';
      this.lanes.ended(room);
    };
  }
}
