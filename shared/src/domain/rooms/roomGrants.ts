import type { ActorType } from '../actors/actor.js';
import type { Grant } from './grant.js';

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
