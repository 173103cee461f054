import type { Findings } from './findings.js';
import type { Sent } from './ledger.js';
import type { Follower, Topic } from './topic.js';

/** Filters that were in force until a moment, as far as the subscriber can tell. */
interface Term {
  readonly filter: string | undefined;
  until: number;
}

/**
 * What one subscription is owed, from the moment at which it was confirmed: each message that was sent after that, once,
 * in the order of the topic. What was sent before may come, and must be in order too.
 */
export class Following implements Follower {
  readonly #topic: Topic;
  readonly #actor: number;
  readonly #since: number;
  readonly #findings: Findings;
  #terms: Term[];
  /** Came before it is known where they stand. */
  #early: Sent[] = [];
  /** All before this position is accounted for. */
  #next: number;

  constructor(topic: Topic, actor: number, since: number, filter: string | undefined, findings: Findings) {
    this.#topic = topic;
    this.#actor = actor;
    this.#since = since;
    this.#findings = findings;
    this.#terms = [{ filter, until: Number.POSITIVE_INFINITY }];
    this.#next = topic.begin;
    topic.followers.add(this);
  }

  received(sent: Sent): void {
    if (sent.actor === this.#actor) this.#violated(sent, 'went back to its own actor');
    else if (!this.#mayHave(sent)) this.#violated(sent, 'went to a subscription whose filters do not match');
    else {
      this.#early.push(sent);
      this.account();
    }
  }

  /** Other filters have been asked for: either may be in force, until `refiltered`. */
  refiltering(filter: string | undefined): void {
    this.#terms.push({ filter, until: Number.POSITIVE_INFINITY });
  }

  refiltered(moment: number): void {
    for (const term of this.#terms.slice(0, -1)) term.until = Math.min(term.until, moment);
  }

  /** Puts what has come into its place, as far as places are known. */
  account(): void {
    let handled = 0;
    for (const sent of this.#early) {
      if (sent.position < 0) break;
      handled += 1;
      if (sent.position < this.#next) this.#violated(sent, 'came twice, or behind a later one');
      else this.#accountUpTo(sent.position);
      this.#next = Math.max(this.#next, sent.position + 1);
    }
    if (handled > 0) this.#early = this.#early.slice(handled);
  }

  passing(position: number): void {
    this.account();
    this.#accountUpTo(position);
    const [first] = this.#terms.slice(-1);
    const oldest = position < this.#topic.end ? this.#topic.at(position).at : Number.POSITIVE_INFINITY;
    this.#terms = this.#terms.filter((term) => term === first || term.until >= oldest);
  }

  /** Nothing that it is owed has not come yet. */
  get isEven(): boolean {
    this.account();
    if (this.#early.length > 0) return false;
    for (let at = this.#next; at < this.#topic.end; at += 1)
      if (this.#isOwed(this.#topic.at(at))) return false;
    return true;
  }

  /** The end: everything is there, or is missing. */
  close(): void {
    this.account();
    for (const sent of this.#early) this.#violated(sent, 'did not come to the onlooker');
    this.#accountUpTo(this.#topic.end);
    this.drop();
  }

  /** The subscription is over, and what was under way to it does not count. */
  drop(): void {
    this.#topic.followers.delete(this);
  }

  #accountUpTo(position: number): void {
    for (let at = this.#next; at < position; at += 1) {
      const sent = this.#topic.at(at);
      if (this.#isOwed(sent)) this.#violated(sent, 'was missed by a subscriber');
    }
    this.#next = Math.max(this.#next, position);
  }

  #isOwed(sent: Sent): boolean {
    return sent.at > this.#since && sent.actor !== this.#actor && this.#inForce(sent).every(matches(sent));
  }

  #mayHave(sent: Sent): boolean {
    return this.#inForce(sent).some(matches(sent));
  }

  #inForce({ at }: Sent): readonly Term[] {
    return this.#terms.filter(({ until }) => until >= at);
  }

  #violated({ id }: Sent, what: string): void {
    this.#findings.violated(`message ${id} of ${this.#topic.address} ${what} (actor ${this.#actor})`);
  }
}

const matches =
  (sent: Sent) =>
  ({ filter }: Term): boolean =>
    filter === undefined || filter === sent.filter;
