import type { Findings } from './findings.js';
import type { Sent } from './ledger.js';

/** Somebody who has been promised the messages of a topic. */
export interface Follower {
  /** Everything before this position is about to be forgotten. */
  passing(position: number): void;
}

/** Messages that are remembered at least: many more than are ever under way. */
const remembered = 1_000;

/**
 * What was published to a topic, in the order in which an onlooker has got it that is always there and publishes
 * nothing. All others must have seen the same order, without what was not meant for them.
 */
export class Topic {
  readonly address: string;
  readonly followers = new Set<Follower>();
  /** The newest that was accepted. */
  lastAccepted = 0;
  readonly #findings: Findings;
  readonly #onForgotten: (sent: Sent) => void;
  /** By connection, the last of its messages that came. */
  readonly #last = new Map<number, number>();
  #entries: Sent[] = [];
  #begin = 0;

  constructor(address: string, findings: Findings, onForgotten: (sent: Sent) => void) {
    this.address = address;
    this.#findings = findings;
    this.#onForgotten = onForgotten;
  }

  /** The first position that is remembered, and the one behind the last. */
  get begin(): number {
    return this.#begin;
  }

  get end(): number {
    return this.#begin + this.#entries.length;
  }

  at(position: number): Sent {
    return this.#entries[position - this.#begin] as Sent;
  }

  /** The onlooker has got it. */
  seen(sent: Sent): void {
    if (sent.position >= 0) return this.#findings.violated(`${this.#named(sent)} came twice`);
    if (sent.id <= (this.#last.get(sent.link) ?? 0))
      this.#findings.violated(`${this.#named(sent)} came behind a later one of its connection`);
    this.#last.set(sent.link, sent.id);
    sent.position = this.end;
    this.#entries.push(sent);
    if (this.#entries.length >= 2 * remembered) this.#forget(remembered);
  }

  #forget(many: number): void {
    for (const follower of this.followers) follower.passing(this.#begin + many);
    const forgotten = this.#entries.splice(0, many);
    this.#begin += many;
    for (const sent of forgotten) this.#onForgotten(sent);
    const [first] = this.#entries;
    for (const [link, id] of this.#last) if (first && id < first.id) this.#last.delete(link);
  }

  #named({ id }: Sent): string {
    return `message ${id} of ${this.address}`;
  }
}
