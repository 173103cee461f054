import { FairBudget, type Account } from '../limits/fairBudget.js';
import type { ConnectionPresence, PresenceLedger } from './presenceTable.js';

/** Measured on the heap, in bytes: the record, the index entries, and the room with one presence. */
const overheadBytes = 1_500;

const presenceCost = ({ presence }: Pick<ConnectionPresence, 'presence'>): number =>
  overheadBytes + presence.length;

/** The first part of an internal room. */
const projectOf = (room: string): string => room.slice(0, room.indexOf('/'));

/** Gateways are present as well, for worker groups, under numbers that no connection of a client has. */
const isOfGateway = (connection: number): boolean => connection < 0;

/**
 * [WS-MEM-5] The memory of all presences, of all gateways: each of them holds the same, and comes to the same conclusion whose
 * presence has to end.
 */
export class PresenceMemory implements PresenceLedger {
  private readonly budget: FairBudget<ConnectionPresence>;
  private readonly accounts = new Map<ConnectionPresence, Account<ConnectionPresence>>();

  constructor(bytes: number) {
    this.budget = new FairBudget(bytes);
  }

  get bytes(): number {
    return this.budget.used;
  }

  /** Beyond the budget the presence that gives way. */
  get excessive(): ConnectionPresence | undefined {
    return this.budget.isExceeded ? this.budget.largest?.member : undefined;
  }

  /** Whether there is memory for a presence, in place of the former one of its connection. */
  admits(
    { room, presence }: Pick<ConnectionPresence, 'room' | 'presence'>,
    former: Pick<ConnectionPresence, 'presence'> | undefined,
  ): boolean {
    const more = presenceCost({ presence }) - (former === undefined ? 0 : presenceCost(former));
    return more <= 0 || this.budget.admits(projectOf(room), more);
  }

  add(one: ConnectionPresence): void {
    if (isOfGateway(one.connection)) return;
    const account = this.budget.open(projectOf(one.room), one);
    account.resize(presenceCost(one));
    this.accounts.set(one, account);
  }

  remove(one: ConnectionPresence): void {
    this.accounts.get(one)?.close();
    this.accounts.delete(one);
  }
}
