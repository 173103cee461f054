import type { Clock } from '@roomwire/shared/ports/clock';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { Client } from '../access/client.js';
import type { Directory } from '../access/directory.js';
import { isCurrent, resolveAccess, type TopicAccess } from '../access/topicAccess.js';
import type { AddressMemory, Remembering } from '../limits/addressMemory.js';
import type { Account } from '../limits/fairBudget.js';

export interface KnownAddressesDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly directory: Directory;
  readonly addresses: Pick<AddressMemory, 'open' | 'remembers' | 'beganAnew'>;
}

type KnowingClient = Pick<Client, 'identity' | 'isOver'> & Remembering;

/** Addresses cached per connection; beyond it they are resolved again. */
const maxKnownAddresses = limitTable.knownAddresses.value;

/** What the actor of one session may do at the addresses that it uses. */
export class KnownAddresses {
  private readonly client: KnowingClient;
  private readonly deps: KnownAddressesDeps;
  private readonly known = new Map<string, TopicAccess>();
  private account: Account<Remembering> | undefined;

  constructor(client: KnowingClient, deps: KnownAddressesDeps) {
    this.client = client;
    this.deps = deps;
  }

  /** Synchronous while a cached answer is current. */
  access(address: string): TopicAccess | undefined | Promise<TopicAccess | undefined> {
    const known = this.known.get(address);
    if (known !== undefined && isCurrent(known)) return this.inForce(known);
    const { identity } = this.client;
    const access = resolveAccess(this.deps.directory, identity, address);
    if (!(access instanceof Promise)) return this.remember(address, access);
    return access.then((found) =>
      identity === this.client.identity ? this.remember(address, found) : this.access(address),
    );
  }

  forget(): void {
    this.known.clear();
    this.account?.resize(0);
  }

  close(): void {
    this.account?.close();
  }

  private remember(address: string, access: TopicAccess | undefined): TopicAccess | undefined {
    if (this.client.isOver) return this.inForce(access);
    if (this.known.size >= maxKnownAddresses) {
      this.known.clear();
      this.deps.addresses.beganAnew(this.client);
    }
    if (access === undefined) this.known.delete(address);
    else this.known.set(address, access);
    if (this.known.size > 0) this.account ??= this.deps.addresses.open(this.client);
    if (this.account) this.deps.addresses.remembers(this.account, this.known.size);
    return this.inForce(access);
  }

  /** [WS-GRANT-4] Removes the rights of an expired grant. */
  private inForce(access: TopicAccess | undefined): TopicAccess | undefined {
    if (access === undefined || access.until === Number.POSITIVE_INFINITY) return access;
    return access.until > this.deps.clock.now() ? access : undefined;
  }
}
