import type { PresenceEntry } from '@roomwire/shared/wire/protocol/presenceFrames';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Transition } from '../presence/presenceTable.js';
import type { Wish } from '../presence/presenceBoard.js';
import { withTimeout } from '@roomwire/shared/runtime/waiting';

/** The part of the presence board that is used here. */
export interface HostBoard {
  readonly ready: Promise<void>;
  announce(wish: Wish): Promise<boolean>;
  withdraw(connection: number): Promise<void>;
  entries(room: string): readonly PresenceEntry[];
}

/** A gateway that takes part in a group, for as long as it does. */
export interface Host {
  readonly place: string;
  readonly connection: number;
  /** Those who were there before it and still are. */
  readonly others: Set<string>;
  readonly changed: () => void;
  readonly lost: (gatewayId: string) => void;
  /** Its announcement has come back. */
  readonly known: () => void;
}

/** Longer than the bus takes to bring back what it has stored. */
const returnMs = 15_000;

const prefix = 'worker-group:';
const nothing = Uint8Array.of(0x80);

export const isHostPlace = (room: string): boolean => room.startsWith(prefix);

/**
 * Which gateways take part in which group. They are kept like the presence of actors, on all gateways alike: what is
 * present in a place that stands for a group is a gateway.
 */
export class GroupHosts {
  private readonly gatewayId: string;
  private readonly board: HostBoard;
  private readonly hosts = new Map<string, Set<Host>>();
  private made = 0;

  constructor(gatewayId: string, board: HostBoard) {
    this.gatewayId = gatewayId;
    this.board = board;
  }

  /** Resolves when this gateway is known to all, and knows who was there before it. Rejects where the bus is out of reach. */
  async enter(group: string, { changed, lost }: Pick<Host, 'changed' | 'lost'>): Promise<Host> {
    await this.board.ready;
    const place = prefix + group;
    // Those of connections count upwards.
    let known = (): void => undefined;
    const isKnown = new Promise<boolean>((resolve) => (known = () => resolve(true)));
    const host = { place, connection: -++this.made, others: new Set<string>(), changed, lost, known };
    const hosts = this.hosts.get(place);
    if (hosts) hosts.add(host);
    else this.hosts.set(place, new Set([host]));
    const actorTokenId = `${this.gatewayId}/${this.made}`;
    const wish = { connection: host.connection, room: place, actorTokenId, presence: nothing };
    // The board does not wait for long; but who was there before is known only when it has come back.
    if (
      (await this.board.announce(wish)) &&
      (await withTimeout(returnMs, isKnown, () => false, { unref: true }))
    )
      return host;
    void this.leave(host);
    throw new EngineUnavailable('message bus');
  }

  /** The gateway's part is over, and all that it had to say is stored. */
  async leave(host: Host): Promise<void> {
    this.forget(host);
    await this.board.withdraw(host.connection);
  }

  /** Counts everybody who is there now as having been there before. */
  lookAgain(host: Host): void {
    host.others.clear();
    for (const other of this.othersIn(host.place)) host.others.add(other);
  }

  isThere({ place }: Host, gatewayId: string): boolean {
    return this.board.entries(place).some(({ actorTokenId }) => gatewayOf(actorTokenId) === gatewayId);
  }

  /** Our own announcement has come back: what comes later is behind it. */
  entered(connection: number, place: string): void {
    for (const host of this.hosts.get(place) ?? []) {
      if (host.connection !== connection) continue;
      this.lookAgain(host);
      host.known();
    }
  }

  told({ room, event, actorTokenId }: Transition): void {
    if (event !== 'leave') return;
    const gatewayId = gatewayOf(actorTokenId);
    for (const host of this.hosts.get(room) ?? []) {
      if (gatewayId !== this.gatewayId && !this.isThere(host, gatewayId)) host.lost(gatewayId);
      if (host.others.delete(actorTokenId)) host.changed();
    }
  }

  private othersIn(place: string): readonly string[] {
    return this.board
      .entries(place)
      .map(({ actorTokenId }) => actorTokenId)
      .filter((name) => gatewayOf(name) !== this.gatewayId);
  }

  private forget(host: Host): void {
    const hosts = this.hosts.get(host.place);
    hosts?.delete(host);
    if (hosts?.size === 0) this.hosts.delete(host.place);
  }
}

const gatewayOf = (name: string): string => name.slice(0, name.lastIndexOf('/'));
