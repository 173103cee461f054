import type { HappenedEvent } from './eventEnvelope.js';
import type { ActorType } from './actor.js';

export const roomStatuses = ['active', 'disabled'] as const;
export type RoomStatus = (typeof roomStatuses)[number];

export const webRtcTopics = ['webrtc:offer', 'webrtc:answer', 'webrtc:candidate', 'webrtc:state'] as const;

/** How a room was created: by the API, by `rooms/ensure` (these are capped), or from a blueprint (these are static). */
export type RoomOrigin = 'api' | 'ensure' | 'blueprint';

export interface RoomFields {
  readonly roomId: string;
  readonly appId: string;
  readonly projectId: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly topics: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly origin: RoomOrigin;
}

export interface Room extends RoomFields {
  readonly status: RoomStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type RoomChanges = Partial<Pick<Room, 'name' | 'description' | 'status' | 'topics' | 'metadata'>>;

export type RoomEvent =
  | { readonly type: 'RoomCreated'; readonly data: RoomFields }
  | {
      readonly type: 'RoomUpdated';
      readonly data: { readonly appId: string; readonly roomId: string; readonly changes: RoomChanges };
    }
  | { readonly type: 'RoomDeleted'; readonly data: { readonly appId: string; readonly roomId: string } };

/** All rooms of an app share a stream: their slugs are unique and the provisioned ones are capped together. */
export const roomsStream = (appId: string): string => `rooms-${appId}`;

export const createdRoom = (fields: RoomFields, at: string): Room => ({
  ...fields,
  status: 'active',
  createdAt: at,
  updatedAt: at,
});

export const evolveRoom = (room: Room | undefined, event: HappenedEvent<RoomEvent>): Room | undefined => {
  switch (event.type) {
    case 'RoomCreated':
      return createdRoom(event.data, event.occurredAt);
    case 'RoomUpdated':
      return room && { ...room, ...event.data.changes, updatedAt: event.occurredAt };
    case 'RoomDeleted':
      return undefined;
  }
};

export const permissions = ['subscribe', 'publish', 'pubSub'] as const;
export type Permission = (typeof permissions)[number];

export interface GrantFields {
  readonly roomActorAccessId: string;
  readonly appId: string;
  readonly roomId: string;
  readonly projectId: string;
  /** Exactly one of these two is not null. */
  readonly actorTokenId: string | null;
  readonly actorType: ActorType | null;
  readonly permission: Permission;
  /** Null for every topic of the room. */
  readonly topics: readonly string[] | null;
  readonly expiresAt: string | null;
  readonly isActive: boolean;
  /** A label for people. */
  readonly role: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface Grant extends GrantFields {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Stored in the stream of the app's rooms, so that one holder has one grant on a room. */
export type GrantEvent =
  | { readonly type: 'RoomGrantAdded'; readonly data: GrantFields }
  | {
      readonly type: 'RoomGrantRevoked';
      readonly data: {
        readonly appId: string;
        readonly roomId: string;
        readonly roomActorAccessId: string;
      };
    };

export const createdGrant = (fields: GrantFields, at: string): Grant => ({
  ...fields,
  createdAt: at,
  updatedAt: at,
});

export const evolveGrant = (
  _grant: Grant | undefined,
  event: HappenedEvent<GrantEvent>,
): Grant | undefined => {
  switch (event.type) {
    case 'RoomGrantAdded':
      return createdGrant(event.data, event.occurredAt);
    case 'RoomGrantRevoked':
      return undefined;
  }
};

/** The grants of one room, by who holds them: a holder has at most one. */
export interface RoomGrants {
  readonly ofActors: ReadonlyMap<string, Grant>;
  readonly ofTypes: ReadonlyMap<ActorType, Grant>;
}

export const noGrants: RoomGrants = { ofActors: new Map(), ofTypes: new Map() };

export const roomGrants = (grants: readonly Grant[]): RoomGrants => {
  const ofActors = new Map<string, Grant>();
  const ofTypes = new Map<ActorType, Grant>();
  for (const grant of grants) {
    if (grant.actorTokenId !== null) ofActors.set(grant.actorTokenId, grant);
    if (grant.actorType !== null) ofTypes.set(grant.actorType, grant);
  }
  return ofActors.size + ofTypes.size === 0 ? noGrants : { ofActors, ofTypes };
};

/** Whether any grant record exists, an expired or inactive one too. */
export const hasGrants = ({ ofActors, ofTypes }: RoomGrants): boolean => ofActors.size + ofTypes.size > 0;
