import { evolveGrant, type Grant, type GrantEvent, type GrantFields } from '@roomwire/shared/domain/room';
import type { HappenedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Edits } from '../handling/edits.js';
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

export const evolveGrants = (
  all: Map<string, RoomGrants>,
  event: HappenedEvent<GrantEvent>,
  edits: Edits,
): void => {
  const { roomId, roomActorAccessId } = event.data;
  const grants = all.get(roomId);
  const before = grants?.byId.get(roomActorAccessId);
  const after = evolveGrant(before, event);
  if (after) putGrant(all, after, edits);
  else if (grants && before) {
    edits.remove(grants.byId, roomActorAccessId);
    edits.remove(grants.holders, holderOf(before));
    if (grants.byId.size === 0) edits.remove(all, roomId);
  }
};

export const putGrant = (all: Map<string, RoomGrants>, grant: Grant, edits: Edits): void => {
  const { roomId, roomActorAccessId } = grant;
  let grants = all.get(roomId);
  if (grants === undefined) {
    grants = { byId: new Map(), holders: new Set() };
    edits.put(all, roomId, grants);
  }
  edits.put(grants.byId, roomActorAccessId, grant);
  edits.add(grants.holders, holderOf(grant));
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
