import type { WebhookOutcome } from '@roomwire/shared/wire/bus/webhookOutcomes';

export type Fits = (outcome: WebhookOutcome) => boolean;

export interface Found {
  /** In the order in which they came. */
  readonly outcomes: readonly WebhookOutcome[];
  /** The number to go on from. */
  readonly next: number;
  /** Some that came since are not kept any more. */
  readonly isGap: boolean;
}

/** The last outcomes that have come, numbered from 0. */
export class RecentOutcomes {
  readonly #capacity: number;
  readonly #ring: WebhookOutcome[] = [];
  #count = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** How many have come; the number of the next. */
  get count(): number {
    return this.#count;
  }

  add(outcome: WebhookOutcome): void {
    this.#ring[this.#count % this.#capacity] = outcome;
    this.#count += 1;
  }

  /** At most so many of those that fit, from a number on. */
  from(number: number, fits: Fits, most: number): Found {
    const oldest = this.#oldest;
    const outcomes: WebhookOutcome[] = [];
    let next = Math.max(number, oldest);
    for (; next < this.#count && outcomes.length < most; next += 1) {
      const outcome = this.#at(next);
      if (fits(outcome)) outcomes.push(outcome);
    }
    return { outcomes, next, isGap: number < oldest };
  }

  /** The number of the first that ended at a time (milliseconds since 1970) or later. */
  numberAt(time: number): number {
    let number = this.#oldest;
    while (number < this.#count && this.#at(number).at < time) number += 1;
    return number;
  }

  get #oldest(): number {
    return Math.max(0, this.#count - this.#capacity);
  }

  #at(number: number): WebhookOutcome {
    return this.#ring[number % this.#capacity] as WebhookOutcome;
  }
}
