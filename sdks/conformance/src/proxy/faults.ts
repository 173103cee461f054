import { differenceOf, type Fields } from '../scenario/match.js';
import type { Unit } from './frameReader.js';
import type { Direction, Verdict } from './way.js';

/** What is to happen to one unit that passes. */
export interface Fault {
  readonly to: Direction;
  /** The name of the unit. */
  readonly frame: string;
  /** What the frame holds. */
  readonly where: Fields;
  /** Which of those that are so, counted from 1. */
  readonly nth: number;
  readonly then: Verdict;
}

/** The faults that are still to happen. */
export class Faults {
  private waiting: { readonly fault: Fault; seen: number }[] = [];

  add(fault: Fault): void {
    this.waiting.push({ fault, seen: 0 });
  }

  judge(to: Direction, { name, content = {} }: Unit): Verdict {
    for (const one of this.waiting) {
      const { fault } = one;
      if (fault.to !== to || fault.frame !== name || differenceOf(fault.where, content, '')) continue;
      one.seen += 1;
      if (one.seen < fault.nth) continue;
      this.waiting = this.waiting.filter((other) => other !== one);
      return fault.then;
    }
    return 'pass';
  }
}
