import { FairBudget, type Account } from '../limits/fairBudget.js';
import type { ConnectionPresence } from './actorPresence.js';
import type { PresenceLedger } from './presenceTable.js';

/** Measured on the heap, in bytes: the record, the index entries, and the room with one presence. */
const overheadBytes = 1_500;

const presenceCost = ({ presence }: Pick<ConnectionPresence, 'presence'>): number =>
  overheadBytes + presence.length;

/** The first part of an internal room. */
const projectOf = (room: string): string => room.slice(0, room.indexOf('/'));

/** Gateways are present as well, for worker groups, under numbers that no connection of a client has. */
const isOfGateway = (connection: number): boolean => connection < 0;

/** A connection of any gateway. */
export type PresentConnection = Pick<ConnectionPresence, 'gatewayId' | 'connection'>;

/** What a connection holds, in all of its rooms. */
interface Holding {
  readonly account: Account<PresentConnection>;
  readonly presences: Set<ConnectionPresence>;
}

/**
 * [WS-MEM-5] The memory of all presences, of all gateways: each of them holds the same, and comes to the same conclusion which
 * connection has to give way.
 */
export class PresenceMemory implements PresenceLedger {
  private readonly budget: FairBudget<PresentConnection>;
  private readonly holdings = new Map<string, Holding>();

  constructor(bytes: number) {
    this.budget = new FairBudget(bytes);
  }

  get bytes(): number {
    return this.budget.used;
  }

  /** Beyond the budget the connection that gives way. */
  get excessive(): PresentConnection | undefined {
    return this.budget.isExceeded ? this.budget.largest?.member : undefined;
  }

  /** Whether there is memory for a presence, in place of former ones of its connection. */
  admits(
    { room, presence }: Pick<ConnectionPresence, 'room' | 'presence'>,
    former: readonly Pick<ConnectionPresence, 'presence'>[],
  ): boolean {
    const more = presenceCost({ presence }) - former.reduce((bytes, one) => bytes + presenceCost(one), 0);
    return more <= 0 || this.budget.admits(projectOf(room), more);
  }

  add(one: ConnectionPresence): void {
    if (isOfGateway(one.connection)) return;
    const { account, presences } = this.holdingOf(one);
    if (presences.has(one)) return;
    presences.add(one);
    account.resize(account.bytes + presenceCost(one));
  }

  remove(one: ConnectionPresence): void {
    const key = keyOf(one);
    const holding = this.holdings.get(key);
    if (holding?.presences.delete(one) !== true) return;
    if (holding.presences.size > 0) return holding.account.resize(holding.account.bytes - presenceCost(one));
    holding.account.close();
    this.holdings.delete(key);
  }

  private holdingOf({ gatewayId, connection, room }: ConnectionPresence): Holding {
    const key = keyOf({ gatewayId, connection });
    const known = this.holdings.get(key);
    if (known !== undefined) return known;
    const account = this.budget.open(projectOf(room), { gatewayId, connection });
    const holding = { account, presences: new Set<ConnectionPresence>() };
    this.holdings.set(key, holding);
    return holding;
  }
}

const keyOf = ({ gatewayId, connection }: PresentConnection): string => `${gatewayId}/${connection}`;
