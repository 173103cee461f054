import {
  evolveGrant,
  type Grant,
  type GrantEvent,
  type GrantFields,
} from '@roomwire/shared/domain/rooms/grant';
import type { HappenedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { Rejection } from '../handling/rejections.js';

export type GrantCommand =
  | { readonly type: 'GrantAccess'; readonly grant: GrantFields }
  | {
      readonly type: 'RevokeAccess';
      readonly appId: string;
      readonly roomId: string;
      readonly roomActorAccessId: string;
    };

/** The grants on one room. */
export interface RoomGrants {
  readonly byId: Map<string, Grant>;
  /** Who holds one: expired and inactive grants count, they are to be revoked first. */
  readonly holders: Set<string>;
}

/** Decides on the grants of a room that there is; undefined while it has none. */
export const decideGrant = (command: GrantCommand, grants: RoomGrants | undefined): readonly GrantEvent[] => {
  if (command.type === 'GrantAccess') {
    if (grants?.holders.has(holderOf(command.grant)) === true) throw new Rejection('grant_holder_taken', {});
    return [{ type: 'RoomGrantAdded', data: command.grant }];
  }
  const { appId, roomId, roomActorAccessId } = command;
  existingGrant(grants, roomActorAccessId);
  return [{ type: 'RoomGrantRevoked', data: { appId, roomId, roomActorAccessId } }];
};

export const evolveGrants = (all: Map<string, RoomGrants>, event: HappenedEvent<GrantEvent>): void => {
  const { roomId, roomActorAccessId } = event.data;
  const grants = all.get(roomId) ?? { byId: new Map<string, Grant>(), holders: new Set<string>() };
  const before = grants.byId.get(roomActorAccessId);
  const after = evolveGrant(before, event);
  if (after) {
    grants.byId.set(roomActorAccessId, after);
    grants.holders.add(holderOf(after));
  } else if (before) {
    grants.byId.delete(roomActorAccessId);
    grants.holders.delete(holderOf(before));
  }
  if (grants.byId.size > 0) all.set(roomId, grants);
  else all.delete(roomId);
};

export const isGrantEvent = <Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, { readonly type: GrantEvent['type'] }> =>
  event.type === 'RoomGrantAdded' || event.type === 'RoomGrantRevoked';

export const existingGrant = (grants: RoomGrants | undefined, roomActorAccessId: string): Grant => {
  const grant = grants?.byId.get(roomActorAccessId);
  if (grant === undefined) throw new Rejection('grant_not_found', { roomActorAccessId });
  return grant;
};

/** An actor's id is a UUID, which no type's name is. */
const holderOf = ({ actorTokenId, actorType }: GrantFields): string => actorTokenId ?? actorType ?? '';
