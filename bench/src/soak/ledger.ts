import type { Topic } from './topic.js';

/** `unknown`: the connection ended before the answer, so that the message may have been published or not. */
export type Outcome = 'open' | 'accepted' | 'unknown';

/** A message, from the moment at which it was sent. */
export interface Sent {
  /** Rises with every publish. */
  readonly id: number;
  readonly topic: Topic;
  /** The number of the actor, and that of its connection. */
  readonly actor: number;
  readonly link: number;
  readonly filter: string;
  /** The moment, see `Ledger.now`. */
  readonly at: number;
  outcome: Outcome;
  /** Where it stands in the order of its topic; -1 until that is known. */
  position: number;
}

/** Every message that may still come to somebody. */
export class Ledger {
  readonly #messages = new Map<number, Sent>();
  #moment = 0;
  #ids = 0;

  /** Moments tell what was done before what; this process does one thing at a time. */
  now(): number {
    this.#moment += 1;
    return this.#moment;
  }

  sent(topic: Topic, actor: number, link: number, filter: string): Sent {
    this.#ids += 1;
    const id = this.#ids;
    const sent: Sent = { id, topic, actor, link, filter, at: this.now(), outcome: 'open', position: -1 };
    this.#messages.set(id, sent);
    return sent;
  }

  find(id: unknown): Sent | undefined {
    return this.#messages.get(id as number);
  }

  forget(sent: Sent): void {
    this.#messages.delete(sent.id);
  }

  /** Accepted, and not seen by those who see everything. */
  get unseen(): readonly Sent[] {
    return [...this.#messages.values()].filter(
      ({ outcome, position }) => outcome === 'accepted' && position < 0,
    );
  }

  /** Those of an unknown outcome, made before the last so many, that never came will not come any more. */
  forgetUnknown(last: number): void {
    for (const sent of this.#messages.values()) {
      if (sent.id > this.#ids - last) return;
      if (sent.outcome === 'unknown' && sent.position < 0) this.forget(sent);
    }
  }
}
