import type { PresenceEntry } from '@roomwire/shared/wire/protocol/presenceFrames';
import type { PresenceEvent } from '@roomwire/shared/wire/protocol/serverFrames';
import type { PresencePage, PresenceQuery, PresentActor } from '@roomwire/shared/ports/liveState';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { SetMultimap } from '../setMultimap.js';
import {
  type ActorPresence,
  type ConnectionPresence,
  shown,
  presentSince,
  isSamePresence,
} from './actorPresence.js';
import { PresentActors } from './presentActors.js';

/** A change of an actor's presence in a room. */
export interface Transition {
  /** Internal. */
  readonly room: string;
  readonly event: PresenceEvent;
  readonly actorTokenId: string;
  /** A MessagePack map; undefined for a leave. */
  readonly presence: Uint8Array | undefined;
}

/** A connection's presence, with the number of the record by which its gateway published it. */
export interface KnownPresence extends ConnectionPresence {
  readonly sequence: number;
}

export interface PresenceKey {
  readonly gatewayId: string;
  readonly connection: number;
  readonly room: string;
  readonly actorTokenId: string;
}

/** Of presences, on one page. */
const maxPageBytes = limitTable.presencePageBytes.value;

/** The part of an internal room that names project, app and scope. */
export const scopedAppOf = (room: string): string => room.slice(0, room.lastIndexOf('/'));

/** Learns what the table holds. */
export interface PresenceLedger {
  add(one: KnownPresence): void;
  remove(one: KnownPresence): void;
}

/** Who is present in which room, on all gateways. Several connections of an actor in a room are one presence. */
export class PresenceTable {
  /** By room, then by actor. */
  private readonly rooms = new Map<string, PresentActors<readonly KnownPresence[]>>();
  /** The rooms that are not empty, by project, app and scope. */
  private readonly scopedApps = new SetMultimap<string, string>();
  private readonly gateways = new Map<string, Map<string, KnownPresence>>();
  private readonly memory: PresenceLedger;

  constructor(memory: PresenceLedger) {
    this.memory = memory;
  }

  put(known: KnownPresence): Transition | undefined {
    const before = this.connectionsOf(known.room, known.actorTokenId);
    this.forget(before, known);
    this.memory.add(known);
    this.keep(known, [...before.filter((one) => !isSame(one, known)), known]);
    return this.transition(before, known);
  }

  remove(key: PresenceKey): Transition | undefined {
    const before = this.connectionsOf(key.room, key.actorTokenId);
    const rest = before.filter((one) => !isSame(one, key));
    if (rest.length === before.length) return undefined;
    this.forget(before, key);
    this.drop(key, rest);
    return this.transition(before, key);
  }

  /** Removes what a gateway published before its record of this number; by default everything. */
  removeOf(gatewayId: string, before = Number.POSITIVE_INFINITY): readonly Transition[] {
    return [...(this.gateways.get(gatewayId)?.values() ?? [])]
      .filter(({ sequence }) => sequence < before)
      .map((known) => this.remove(known))
      .filter((transition) => transition !== undefined);
  }

  entries(room: string): readonly PresenceEntry[] {
    return [...(this.rooms.get(room)?.values() ?? [])].map(entryOf);
  }

  /** How many actors are present. */
  presentIn(room: string): number {
    return this.rooms.get(room)?.size ?? 0;
  }

  page({ room, limit, after }: PresenceQuery): PresencePage {
    const present: PresentActor[] = [];
    let bytes = 0;
    for (const connections of this.rooms.get(room)?.behind(after) ?? []) {
      const actor = entryOf(connections);
      bytes += actor.presence.length;
      const isFull = present.length === limit || (bytes > maxPageBytes && present.length > 0);
      if (isFull) return { present, next: present.at(-1)?.actorTokenId };
      present.push(actor);
    }
    return { present, next: undefined };
  }

  /** Actors in rooms, without those in rooms that `isExcluded`. */
  count(isExcluded: (room: string) => boolean): number {
    let entries = 0;
    for (const [room, actors] of this.rooms) if (!isExcluded(room)) entries += actors.size;
    return entries;
  }

  /** Internal rooms that are not empty. */
  roomsIn(scopedApp: string): readonly string[] {
    return [...(this.scopedApps.get(scopedApp) ?? [])];
  }

  /** All that are not empty. */
  get internalRooms(): Iterable<string> {
    return this.rooms.keys();
  }

  /** Unix seconds; undefined for an actor that is not present. */
  presentSince(room: string, actorTokenId: string): number | undefined {
    const connections = this.connectionsOf(room, actorTokenId);
    return connections.length === 0 ? undefined : presentSince(connections);
  }

  /** Empty for an actor that is not present. */
  connectionsOf(room: string, actorTokenId: string): readonly KnownPresence[] {
    return this.rooms.get(room)?.get(actorTokenId) ?? [];
  }

  private forget(connections: readonly KnownPresence[], key: PresenceKey): void {
    for (const one of connections) if (isSame(one, key)) this.memory.remove(one);
  }

  private transition(before: ActorPresence, { room, actorTokenId }: PresenceKey): Transition | undefined {
    const after = this.connectionsOf(room, actorTokenId);
    if (after.length === 0) return { room, event: 'leave', actorTokenId, presence: undefined };
    const now = shown(after);
    if (before.length === 0) return { room, event: 'join', actorTokenId, presence: now.presence };
    if (isSamePresence(shown(before), now)) return undefined;
    return { room, event: 'update', actorTokenId, presence: now.presence };
  }

  private keep(known: KnownPresence, connections: readonly KnownPresence[]): void {
    const { room, actorTokenId, gatewayId } = known;
    valueOf(this.rooms, room, () => new PresentActors<readonly KnownPresence[]>()).set(
      actorTokenId,
      connections,
    );
    this.scopedApps.add(scopedAppOf(room), room);
    valueOf(this.gateways, gatewayId, () => new Map<string, KnownPresence>()).set(keyOf(known), known);
  }

  private drop(key: PresenceKey, rest: readonly KnownPresence[]): void {
    const { room, actorTokenId, gatewayId } = key;
    const actors = this.rooms.get(room);
    if (rest.length > 0) actors?.set(actorTokenId, rest);
    else actors?.delete(actorTokenId);
    if (actors?.size === 0) {
      this.rooms.delete(room);
      this.scopedApps.delete(scopedAppOf(room), room);
    }
    const ofGateway = this.gateways.get(gatewayId);
    ofGateway?.delete(keyOf(key));
    if (ofGateway?.size === 0) this.gateways.delete(gatewayId);
  }
}

const entryOf = (connections: ActorPresence): PresenceEntry => {
  const { actorTokenId, presence } = shown(connections);
  return { actorTokenId, presence, joinedAt: presentSince(connections) };
};

const keyOf = ({ connection, room }: PresenceKey): string => `${connection}/${room}`;

/** Within a room and an actor. */
const isSame = (one: PresenceKey, other: PresenceKey): boolean =>
  one.connection === other.connection && one.gatewayId === other.gatewayId;

const valueOf = <V>(map: Map<string, V>, key: string, make: () => V): V => {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
};
