import type { Findings } from './findings.js';

/** `unknown`: the connection ended before the answer, so that the message may have been published or not. */
type Outcome = 'open' | 'accepted' | 'unknown';

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
  /** Milliseconds of the monotonic clock. */
  readonly time: number;
  outcome: Outcome;
  /** Where it stands in the order of its topic; -1 until that is known. */
  position: number;
}

/** Every message that may still come to somebody. */
export class Ledger {
  private readonly messages = new Map<number, Sent>();
  private readonly clock: () => number;
  private moment = 0;
  private ids = 0;

  /** The clock is monotonic, in milliseconds. */
  constructor(clock = () => performance.now()) {
    this.clock = clock;
  }

  /** Moments tell what was done before what; this process does one thing at a time. */
  now(): number {
    this.moment += 1;
    return this.moment;
  }

  sent(topic: Topic, actor: number, link: number, filter: string): Sent {
    this.ids += 1;
    const id = this.ids;
    const sent: Sent = {
      ...{ id, topic, actor, link, filter, at: this.now(), time: this.clock() },
      ...{ outcome: 'open', position: -1 },
    };
    this.messages.set(id, sent);
    return sent;
  }

  find(id: unknown): Sent | undefined {
    return this.messages.get(id as number);
  }

  forget(sent: Sent): void {
    this.messages.delete(sent.id);
  }

  /** Accepted, and not seen by those who see everything. */
  get unseen(): readonly Sent[] {
    return [...this.messages.values()].filter(
      ({ outcome, position }) => outcome === 'accepted' && position < 0,
    );
  }

  /** Those of an unknown outcome, made before the last so many, that never came will not come any more. */
  forgetUnknown(last: number): void {
    for (const sent of this.messages.values()) {
      if (sent.id > this.ids - last) return;
      if (sent.outcome === 'unknown' && sent.position < 0) this.forget(sent);
    }
  }
}

/** Somebody who has been promised the messages of a topic. */
export interface Follower {
  /** Everything before this position is about to be forgotten. */
  passing(position: number): void;
}

/**
 * Messages are remembered for at least so long: longer than any is under way, such as one that waits for its worker group to wake, or was
 * with a member that has fallen silent. Hundreds of thousands of them would make this process late, which looks as if the service were.
 */
const rememberedMs = 180_000;
/** So many are forgotten at a time. */
const forgottenAtOnce = 100;

/**
 * What was published to a topic, in the order in which an onlooker has got it that is always there and publishes
 * nothing. All others must have seen the same order, without what was not meant for them.
 */
export class Topic {
  readonly address: string;
  readonly followers = new Set<Follower>();
  /** The newest that was accepted. */
  lastAccepted = 0;
  private readonly findings: Findings;
  private readonly onForgotten: (sent: Sent) => void;
  /** By connection, the last of its messages that came. */
  private readonly last = new Map<number, number>();
  private entries: Sent[] = [];
  private firstPosition = 0;

  constructor(address: string, findings: Findings, onForgotten: (sent: Sent) => void) {
    this.address = address;
    this.findings = findings;
    this.onForgotten = onForgotten;
  }

  /** The first position that is remembered, and the one behind the last. */
  get begin(): number {
    return this.firstPosition;
  }

  get end(): number {
    return this.firstPosition + this.entries.length;
  }

  at(position: number): Sent {
    return this.entries[position - this.firstPosition] as Sent;
  }

  /** The onlooker has got it. */
  seen(sent: Sent): void {
    if (sent.position >= 0) return this.findings.violated(`${this.named(sent)} came twice`);
    if (sent.id <= (this.last.get(sent.link) ?? 0))
      this.findings.violated(`${this.named(sent)} came behind a later one of its connection`);
    this.last.set(sent.link, sent.id);
    sent.position = this.end;
    this.entries.push(sent);
    const firstKept = this.entries[forgottenAtOnce];
    if (firstKept !== undefined && sent.time - firstKept.time > rememberedMs) this.forget(forgottenAtOnce);
  }

  private forget(many: number): void {
    for (const follower of this.followers) follower.passing(this.firstPosition + many);
    const forgotten = this.entries.splice(0, many);
    this.firstPosition += many;
    for (const sent of forgotten) this.onForgotten(sent);
    const [first] = this.entries;
    for (const [link, id] of this.last) if (first && id < first.id) this.last.delete(link);
  }

  private named({ id }: Sent): string {
    return `message ${id} of ${this.address}`;
  }
}
