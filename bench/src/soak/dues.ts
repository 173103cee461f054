import type { Findings } from './findings.js';
import type { Follower, Ledger, Sent, Topic } from './messages.js';
import type { Membership, Place } from './rooms.js';

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
  private readonly topic: Topic;
  private readonly actor: number;
  private readonly since: number;
  private readonly findings: Findings;
  private terms: Term[];
  /** Came before it is known where they stand. */
  private early: Sent[] = [];
  /** All before this position is accounted for. */
  private next: number;

  constructor(topic: Topic, actor: number, since: number, filter: string | undefined, findings: Findings) {
    this.topic = topic;
    this.actor = actor;
    this.since = since;
    this.findings = findings;
    this.terms = [{ filter, until: Number.POSITIVE_INFINITY }];
    this.next = topic.begin;
    topic.followers.add(this);
  }

  received(sent: Sent): void {
    if (sent.actor === this.actor) this.violated(sent, 'went back to its own actor');
    else if (!this.mayHave(sent)) this.violated(sent, 'went to a subscription whose filters do not match');
    else {
      this.early.push(sent);
      this.account();
    }
  }

  /** Other filters have been asked for: either may be in force, until `refiltered`. */
  refiltering(filter: string | undefined): void {
    this.terms.push({ filter, until: Number.POSITIVE_INFINITY });
  }

  refiltered(moment: number): void {
    for (const term of this.terms.slice(0, -1)) term.until = Math.min(term.until, moment);
  }

  /** Puts what has come into its place, as far as places are known. */
  account(): void {
    let handled = 0;
    for (const sent of this.early) {
      if (sent.position < 0) break;
      handled += 1;
      if (sent.position < this.next) this.violated(sent, 'came twice, or behind a later one');
      else this.accountUpTo(sent.position);
      this.next = Math.max(this.next, sent.position + 1);
    }
    if (handled > 0) this.early = this.early.slice(handled);
  }

  passing(position: number): void {
    this.account();
    this.accountUpTo(position);
    const [first] = this.terms.slice(-1);
    const oldest = position < this.topic.end ? this.topic.at(position).at : Number.POSITIVE_INFINITY;
    this.terms = this.terms.filter((term) => term === first || term.until >= oldest);
  }

  /** Nothing that it is owed has not come yet. */
  get isEven(): boolean {
    this.account();
    if (this.early.length > 0) return false;
    for (let at = this.next; at < this.topic.end; at += 1) if (this.isOwed(this.topic.at(at))) return false;
    return true;
  }

  /** The end: everything is there, or is missing. */
  close(): void {
    this.account();
    for (const sent of this.early) this.violated(sent, 'did not come to the onlooker');
    this.accountUpTo(this.topic.end);
    this.drop();
  }

  /** The subscription is over, and what was under way to it does not count. */
  drop(): void {
    this.topic.followers.delete(this);
  }

  private accountUpTo(position: number): void {
    for (let at = this.next; at < position; at += 1) {
      const sent = this.topic.at(at);
      if (this.isOwed(sent)) this.violated(sent, 'was missed by a subscriber');
    }
    this.next = Math.max(this.next, position);
  }

  private isOwed(sent: Sent): boolean {
    if (sent.at <= this.since || sent.actor === this.actor) return false;
    return this.terms.every((term) => term.until < sent.at || matches(term, sent));
  }

  private mayHave(sent: Sent): boolean {
    return this.terms.some((term) => term.until >= sent.at && matches(term, sent));
  }

  private violated({ id }: Sent, what: string): void {
    this.findings.violated(`message ${id} of ${this.topic.address} ${what} (actor ${this.actor})`);
  }
}

const matches = ({ filter }: Term, sent: Sent): boolean => filter === undefined || filter === sent.filter;

export interface SubscriptionWish {
  readonly filter?: string | undefined;
  readonly group?: string | undefined;
}

interface DuesDeps {
  readonly place: Place;
  readonly ledger: Ledger;
  readonly findings: Findings;
}

/** What one actor has been promised on its present connection: messages, work, last values, and answers to its publishes. */
export class Dues {
  private readonly deps: DuesDeps;
  private readonly actor: number;
  /** By address. */
  private readonly followings = new Map<string, Following>();
  private readonly memberships = new Map<string, Membership>();
  /** The last value that was got, of the topics whose messages are retained. */
  private readonly values = new Map<string, number>();
  private readonly open = new Map<number, Sent>();

  constructor(deps: DuesDeps, actor: number) {
    this.deps = deps;
    this.actor = actor;
  }

  /** No publish waits for its answer. */
  get isAnswered(): boolean {
    return this.open.size === 0;
  }

  /** Everything has come. */
  get isEven(): boolean {
    return [...this.followings.values()].every(({ isEven }) => isEven) && this.stale.length === 0;
  }

  /** A subscription has been confirmed. */
  begin(topic: Topic, { filter, group }: SubscriptionWish): void {
    const { ledger, findings, place } = this.deps;
    const { address } = topic;
    if (place.isRetained(topic)) this.values.set(address, 0);
    else if (group !== undefined) this.memberships.set(address, { actor: this.actor, isOver: false });
    else this.followings.set(address, new Following(topic, this.actor, ledger.now(), filter, findings));
  }

  refiltering({ address }: Topic, filter: string | undefined): void {
    this.followings.get(address)?.refiltering(filter);
  }

  refiltered({ address }: Topic): void {
    this.followings.get(address)?.refiltered(this.deps.ledger.now());
  }

  /** The end of a subscription has been asked for: its work may be somebody else's from now on. */
  leaving({ address }: Topic): void {
    const membership = this.memberships.get(address);
    if (membership) membership.isOver = true;
  }

  /** The service will end the connection, and may have done so before that is seen here. */
  leavingAll(): void {
    for (const membership of this.memberships.values()) membership.isOver = true;
  }

  left({ address }: Topic): void {
    this.followings.get(address)?.drop();
    for (const kept of [this.followings, this.memberships, this.values]) kept.delete(address);
  }

  /** A message has come. True when it is work, and has to be acknowledged. */
  received(address: string, id: number): boolean {
    const { ledger, findings, place } = this.deps;
    if (this.values.has(address)) return this.gotValue(address, id);
    const sent = ledger.find(id);
    const membership = this.memberships.get(address);
    const following = this.followings.get(address);
    if (sent?.topic.address !== address) findings.violated(`received a message that was never sent: ${id}`);
    else if (membership) place.work.given(sent, membership);
    else if (following) following.received(sent);
    else findings.violated(`a message of ${address} came to actor ${this.actor}, who is not subscribed`);
    return membership !== undefined;
  }

  published(sent: Sent): void {
    this.open.set(sent.id, sent);
  }

  /** A publish has been answered. */
  accepted(id: number): void {
    const sent = this.open.get(id);
    if (sent === undefined) return this.deps.findings.violated(`an answer came to no publish: ${id}`);
    this.open.delete(id);
    sent.outcome = 'accepted';
    sent.topic.lastAccepted = Math.max(sent.topic.lastAccepted, id);
  }

  /** Nothing is published any more: whatever has not come is missing. */
  judge(): void {
    for (const following of this.followings.values()) following.close();
    for (const address of this.stale)
      this.deps.findings.violated(`actor ${this.actor} has not got the last value of ${address}`);
  }

  /** The connection has ended, and with it all that was promised. */
  end(): void {
    this.leavingAll();
    for (const following of this.followings.values()) following.drop();
    for (const sent of this.open.values()) sent.outcome = 'unknown';
    for (const kept of [this.followings, this.memberships, this.values, this.open]) kept.clear();
  }

  private gotValue(address: string, id: number): false {
    const last = this.values.get(address) ?? 0;
    if (id <= last) this.deps.findings.violated(`the value ${id} of ${address} came behind ${last}`);
    this.values.set(address, id);
    return false;
  }

  private get stale(): readonly string[] {
    const { topics } = this.deps.place;
    return [...this.values]
      .filter(([address, last]) => last < (topics.get(address)?.lastAccepted ?? 0))
      .map(([address]) => address);
  }
}
