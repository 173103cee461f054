import { CallLanes, type Ended, type Waiting } from './callLanes.js';

/** Whom the calls of one place in a project go to, and how it does. */
export class Endpoint {
  readonly lanes = new CallLanes();
  /** When each call under way began, oldest first. */
  readonly #underWay = new Set<{ readonly since: number }>();
  /** Whether the last call took long, or came to nothing. */
  #disappointed = false;

  get underWay(): number {
    return this.#underWay.size;
  }

  get isIdle(): boolean {
    return this.underWay === 0 && this.lanes.isEmpty;
  }

  /** Slow, too, is one that owes an answer for longer than `slowMs`. */
  isSlow(now: number, slowMs: number): boolean {
    const [oldest] = this.#underWay;
    return this.#disappointed || (oldest !== undefined && now - oldest.since > slowMs);
  }

  /** Gives what is to be called when the call has ended. */
  begin({ room }: Pick<Waiting, 'room'>, now: number): Ended {
    const call = { since: now };
    this.#underWay.add(call);
    return (isGood) => {
      this.#underWay.delete(call);
      this.#disappointed = !isGood;
      this.lanes.ended(room);
    };
  }
}
