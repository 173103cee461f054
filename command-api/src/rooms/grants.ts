import { evolveGrant, type Grant, type GrantEvent, type GrantFields } from '@roomwire/shared/domain/room';
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
  /** The holders of grants. Expired and inactive grants count: they must be revoked first. */
  readonly holders: Set<string>;
}

/** Decides on the grants of an existing room; undefined while it has none. */
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

/** Unambiguous: an actor's id is a UUID, and no type's name is one. */
const holderOf = ({ actorTokenId, actorType }: GrantFields): string => actorTokenId ?? actorType ?? '';
