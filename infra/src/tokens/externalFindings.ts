import { readExternalClaims } from '@roomwire/shared/credentials/externalActor';
import { actorTypes } from '@roomwire/shared/domain/actor';
import {
  externalTokenLifeMs,
  isExternalSubject,
  namesExternalActor,
} from '@roomwire/shared/domain/tokenRevocation';

type Claims = Readonly<Record<string, unknown>>;

/** Why a gateway refuses the token of an external actor; nothing for that of an actor on record. `now`: milliseconds since 1970. */
export const faultsOfExternal = ({ sub, exp, roomwire }: Claims, now: number): readonly string[] => {
  if (typeof sub !== 'string' || !namesExternalActor(sub)) return [];
  const faults: string[] = [];
  if (!isExternalSubject(sub)) faults.push('Its sub is not ext: and a name of 1 to 200 characters');
  if (exp === undefined) faults.push('It has no exp, which a token of an external actor (ext:…) needs');
  else if (typeof exp === 'number' && exp * 1_000 > now + externalTokenLifeMs)
    faults.push('Its exp is more than 24 hours ahead, which is too much for an external actor (ext:…)');
  if (readExternalClaims(roomwire) === undefined)
    faults.push(
      `Its claim roomwire is malformed: an object, with an actorType of ${actorTypes.join(', ')} and the id of a scope as accessScopeId, if any`,
    );
  return faults;
};

/** What only the service knows. */
export const factsOfExternal = ({ sub, iat }: Claims): readonly string[] => {
  if (typeof sub !== 'string' || !namesExternalActor(sub)) return [];
  return [
    'an external actor: its signing key must have allowExternalActors',
    ...(iat === undefined ? ['it has no iat, so that any revocation of its sub ends it'] : []),
  ];
};
