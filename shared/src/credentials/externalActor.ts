import { actorTypes, type ActorType } from '../domain/actor.js';
import { nameUuid } from './nameUuid.js';

/** The `actorTokenId` of an external actor: the version 5 UUID of its subject in the namespace of its project (RFC 9562). */
export const externalActorId = (projectId: string, subject: string): string => nameUuid(projectId, subject);

/** What the claim `roomwire` of a client token says of an external actor. */
export interface ExternalClaims {
  readonly actorType: ActorType;
  readonly accessScopeId: string | null;
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Undefined for a claim that is malformed. Its other fields are not of an external actor. */
export const readExternalClaims = (claim: unknown): ExternalClaims | undefined => {
  if (claim === undefined) return { actorType: 'user', accessScopeId: null };
  if (typeof claim !== 'object' || claim === null || Array.isArray(claim)) return undefined;
  const { actorType = 'user', accessScopeId = null } = claim as Readonly<Record<string, unknown>>;
  if (!isActorType(actorType)) return undefined;
  if (accessScopeId === null) return { actorType, accessScopeId };
  if (typeof accessScopeId !== 'string') return undefined;
  const scopeId = accessScopeId.toLowerCase();
  return uuidPattern.test(scopeId) ? { actorType, accessScopeId: scopeId } : undefined;
};

const isActorType = (value: unknown): value is ActorType => actorTypes.some((type) => type === value);
