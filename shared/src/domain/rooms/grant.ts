import type { ActorType } from '../actors/actor.js';
import type { HappenedEvent } from '../eventEnvelope.js';

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

/** They stand in the stream of the app's rooms, so that one holder has one grant on a room. */
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
