import type { Findings } from './findings.js';
import { Following } from './following.js';
import type { Ledger, Sent } from './ledger.js';
import type { Place } from './rooms.js';
import type { Topic } from './topic.js';
import type { Membership } from './work.js';

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
  readonly #deps: DuesDeps;
  readonly #actor: number;
  /** By address. */
  readonly #followings = new Map<string, Following>();
  readonly #memberships = new Map<string, Membership>();
  /** The last value that was got, of the topics whose messages are retained. */
  readonly #values = new Map<string, number>();
  readonly #open = new Map<number, Sent>();

  constructor(deps: DuesDeps, actor: number) {
    this.#deps = deps;
    this.#actor = actor;
  }

  /** No publish waits for its answer. */
  get isAnswered(): boolean {
    return this.#open.size === 0;
  }

  /** Everything has come. */
  get isEven(): boolean {
    return [...this.#followings.values()].every(({ isEven }) => isEven) && this.#stale.length === 0;
  }

  /** A subscription has been confirmed. */
  begin(topic: Topic, { filter, group }: SubscriptionWish): void {
    const { ledger, findings, place } = this.#deps;
    const { address } = topic;
    if (place.isRetained(topic)) this.#values.set(address, 0);
    else if (group !== undefined) this.#memberships.set(address, { actor: this.#actor, isOver: false });
    else this.#followings.set(address, new Following(topic, this.#actor, ledger.now(), filter, findings));
  }

  refiltering({ address }: Topic, filter: string | undefined): void {
    this.#followings.get(address)?.refiltering(filter);
  }

  refiltered({ address }: Topic): void {
    this.#followings.get(address)?.refiltered(this.#deps.ledger.now());
  }

  /** The end of a subscription has been asked for: its work may be somebody else's from now on. */
  leaving({ address }: Topic): void {
    const membership = this.#memberships.get(address);
    if (membership) membership.isOver = true;
  }

  /** The service will end the connection, and may have done so before that is seen here. */
  leavingAll(): void {
    for (const membership of this.#memberships.values()) membership.isOver = true;
  }

  left({ address }: Topic): void {
    this.#followings.get(address)?.drop();
    for (const kept of [this.#followings, this.#memberships, this.#values]) kept.delete(address);
  }

  /** A message has come. True when it is work, and has to be acknowledged. */
  received(address: string, id: number): boolean {
    const { ledger, findings, place } = this.#deps;
    if (this.#values.has(address)) return this.#gotValue(address, id);
    const sent = ledger.find(id);
    const membership = this.#memberships.get(address);
    const following = this.#followings.get(address);
    if (sent?.topic.address !== address) findings.violated(`a message came that nobody has sent: ${id}`);
    else if (membership) place.work.given(sent, membership);
    else if (following) following.received(sent);
    else findings.violated(`a message of ${address} came to actor ${this.#actor}, who is not subscribed`);
    return membership !== undefined;
  }

  published(sent: Sent): void {
    this.#open.set(sent.id, sent);
  }

  /** A publish has been answered. */
  accepted(id: number): void {
    const sent = this.#open.get(id);
    if (sent === undefined) return this.#deps.findings.violated(`an answer came to no publish: ${id}`);
    this.#open.delete(id);
    sent.outcome = 'accepted';
    sent.topic.lastAccepted = Math.max(sent.topic.lastAccepted, id);
  }

  /** Nothing is published any more: whatever has not come is missing. */
  judge(): void {
    for (const following of this.#followings.values()) following.close();
    for (const address of this.#stale)
      this.#deps.findings.violated(`actor ${this.#actor} has not got the last value of ${address}`);
  }

  /** The connection has ended, and with it all that was promised. */
  end(): void {
    this.leavingAll();
    for (const following of this.#followings.values()) following.drop();
    for (const sent of this.#open.values()) sent.outcome = 'unknown';
    for (const kept of [this.#followings, this.#memberships, this.#values, this.#open]) kept.clear();
  }

  #gotValue(address: string, id: number): false {
    const last = this.#values.get(address) ?? 0;
    if (id <= last) this.#deps.findings.violated(`the value ${id} of ${address} came behind ${last}`);
    this.#values.set(address, id);
    return false;
  }

  get #stale(): readonly string[] {
    const { topics } = this.#deps.place;
    return [...this.#values]
      .filter(([address, last]) => last < (topics.get(address)?.lastAccepted ?? 0))
      .map(([address]) => address);
  }
}
