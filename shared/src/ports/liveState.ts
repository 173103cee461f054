import type { ActorImpact, ActorImpactQuery, Impact, ImpactQuery } from './impact.js';

/** An actor that is present in a room; its connections are one presence. */
export interface PresentActor {
  readonly actorTokenId: string;
  /** A MessagePack map, as it was announced last. */
  readonly presence: Uint8Array;
  /** Unix seconds. */
  readonly joinedAt: number;
}

export interface PresenceQuery {
  /** Internal. */
  readonly room: string;
  readonly limit: number;
  /** `next` of the page before; undefined for the first. */
  readonly after: string | undefined;
}

export interface PresencePage {
  /** May be fewer than were asked for, where their presences are large. */
  readonly present: readonly PresentActor[];
  /** Undefined at the end. */
  readonly next: string | undefined;
}

export interface RoomOccupancy {
  /** Actors that are present. */
  readonly present: number;
  /** Connections that are subscribed to at least one topic of the room, on all gateways. */
  readonly subscribers: number;
}

/** What gateways alone know, and keep nowhere. Rejects with `EngineUnavailable` while it is not known, after five seconds at most. */
export interface LiveState {
  /**
   * By `actorTokenId`, so that who is there from the first page to the last is on exactly one of them, whoever comes and goes, and
   * whichever gateways answer.
   */
  presencePage(query: PresenceQuery): Promise<PresencePage>;

  /** Of internal rooms, in their order. What other gateways count is as old as their answers. */
  occupancy(rooms: readonly string[]): Promise<readonly RoomOccupancy[]>;

  /** Whose subscriptions would end, on all gateways, had some events happened. */
  impact(query: ImpactQuery): Promise<Impact>;

  /** What would end with the connections of an actor, on all gateways. */
  actorImpact(query: ActorImpactQuery): Promise<ActorImpact>;
}
