import type { SubscriptionWish } from './dues.js';
import type { Findings } from './findings.js';

interface RestoredSubscription {
  readonly pattern: string;
  readonly load_balance: boolean;
  readonly load_balance_group: string;
  readonly filters: readonly string[];
}

type Wishes = ReadonlyMap<string, SubscriptionWish>;

/** What an actor is subscribed to, and gets back when it comes again if its sessions persist. */
export class Session {
  readonly isPersistent: boolean;
  readonly #findings: Findings;
  #wishes = new Map<string, SubscriptionWish>();
  /** Something was asked for and not answered, so that the service may have recorded it or not. */
  #isUnsure = true;

  constructor(isPersistent: boolean, findings: Findings) {
    this.isPersistent = isPersistent;
    this.#findings = findings;
  }

  /** For the `auth` frame. */
  get wish(): Readonly<Record<string, unknown>> {
    return this.isPersistent ? { reconnect: true, clientId: 'soak' } : {};
  }

  has(address: string): boolean {
    return this.#wishes.has(address);
  }

  keep(address: string, wish: SubscriptionWish): void {
    this.#wishes.set(address, wish);
  }

  forget(address: string): void {
    this.#wishes.delete(address);
  }

  ended(isUnsure: boolean): void {
    this.#isUnsure = isUnsure;
  }

  /** Takes what the service has given back, and holds it to what it should be. */
  restored(subscriptions: unknown): Wishes {
    const given = new Map<string, SubscriptionWish>();
    for (const one of subscriptions as readonly RestoredSubscription[]) {
      const group = one.load_balance ? one.load_balance_group : undefined;
      given.set(one.pattern, { filter: one.filters[0], group });
    }
    const expected = this.isPersistent ? this.#wishes : new Map<string, SubscriptionWish>();
    if (!this.#isUnsure && shown(expected) !== shown(given))
      this.#findings.violated(`a session had ${shown(expected)}, and is restored as ${shown(given)}`);
    if (given.size > 0) this.#findings.count('restored sessions');
    this.#wishes = given;
    return given;
  }
}

const shown = (wishes: Wishes): string =>
  [...wishes]
    .map(([address, { filter, group }]) => `${address} (${filter ?? 'all'}, ${group ?? 'alone'})`)
    .sort()
    .join(', ');
