import type { Clock } from '@roomwire/shared/ports/clock';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { StandingRule } from '@roomwire/shared/domain/standing';
import type { ConnectedActor } from '../access/connectedActor.js';
import { isObserverRevoked } from '../access/observers.js';
import { standingOf, type GoodStanding } from '../access/credentials.js';
import type { RecentChanges } from '../access/recentChanges.js';
import { latestRevocation, type LatestRevocation } from '../access/tokenRevocations.js';
import type { Ending } from './endings.js';
import type { Session } from './session.js';

export interface ActorReadingDeps {
  readonly views: ViewReader;
  readonly clock: Clock;
  readonly changes: RecentChanges;
}

/** What the documents say of the connections of one actor. */
export interface ActorReading {
  /** How a connection stands, or why it ends; undefined where nothing that it rests on was read. */
  of(session: Session): GoodStanding | Ending | undefined;
  /** Whether something that was read has changed meanwhile. */
  readonly isStale: boolean;
}

type KeyEndings = ReadonlyMap<string, 'signing_key_inactive' | 'external_actors_not_allowed'>;

/** Connections of an actor without a record may be in several scopes: each is where its token says. */
type Standings = ReadonlyMap<string | null, GoodStanding | StandingRule>;

/** Rejects when the read models are unavailable. */
export const readActor = async (
  deps: ActorReadingDeps,
  sessions: readonly [Session, ...Session[]],
): Promise<ActorReading> => {
  const before = deps.changes.latest;
  const [{ identity, actorOfToken }] = sessions;
  const { actorTokenId, projectId, organizationId } = identity;
  if (actorOfToken === undefined) {
    const actor = await deps.views.get('actors', actorTokenId);
    const standing = await standingOf(deps.views, deps.clock, actor);
    // Where all of its connections end, nothing of their tokens matters.
    const isGone = typeof standing === 'string';
    const endings = isGone ? nothingEnds : await tokenEndings(deps, sessions, standing.actor);
    const read = [actorTokenId, projectId, organizationId, actor?.accessScopeId];
    return {
      of: (session) => endings(session) ?? standing,
      isStale: deps.changes.haveTouched(read, before),
    };
  }
  const standings = await standingsOf(deps, sessions);
  const endings = await tokenEndings(deps, sessions, actorOfToken);
  const read = [actorTokenId, projectId, organizationId, ...standings.keys()];
  return {
    of: (session) => endings(session) ?? standings.get(session.actorOfToken?.accessScopeId ?? null),
    isStale: deps.changes.haveTouched(read, before),
  };
};

const standingsOf = async (
  { views, clock }: ActorReadingDeps,
  sessions: readonly Session[],
): Promise<Standings> => {
  const standings = new Map<string | null, GoodStanding | StandingRule>();
  for (const { actorOfToken } of sessions)
    if (actorOfToken && !standings.has(actorOfToken.accessScopeId))
      standings.set(actorOfToken.accessScopeId, await standingOf(views, clock, actorOfToken));
  return standings;
};

type TokenEndings = (session: Session) => Ending | undefined;

const nothingEnds: TokenEndings = () => undefined;

/** Why the client tokens of the connections count no more. */
const tokenEndings = async (
  { views, clock }: ActorReadingDeps,
  sessions: readonly Session[],
  actor: Pick<ConnectedActor, 'actorTokenId' | 'keyId'>,
): Promise<TokenEndings> => {
  if (sessions.some(({ consoleSession }) => consoleSession !== undefined))
    return observerEndings(views, sessions);
  if (sessions.every(({ signingKeyId }) => signingKeyId === undefined)) return nothingEnds;
  const keys = await endedKeys(views, sessions);
  const revocation = await latestRevocation(views, clock, actor);
  return (session) => keys.get(session.signingKeyId ?? '') ?? revokedBy(revocation, session);
};

/** [WS-OBS-7] All of them are of one observer, which may stand for several sessions of its user. */
const observerEndings = async (views: ViewReader, sessions: readonly Session[]): Promise<TokenEndings> => {
  const revoked = new Set<Session>();
  for (const session of sessions) {
    const { consoleSession } = session;
    if (consoleSession && (await isObserverRevoked(views, consoleSession))) revoked.add(session);
  }
  return (session) => (revoked.has(session) ? 'session_revoked' : undefined);
};

const revokedBy = (revocation: LatestRevocation | undefined, session: Session): Ending | undefined =>
  revocation && session.isRevokedBy(revocation) ? 'token_revoked' : undefined;

const endedKeys = async (views: ViewReader, sessions: readonly Session[]): Promise<KeyEndings> => {
  const ended = new Map<string, 'signing_key_inactive' | 'external_actors_not_allowed'>();
  const read = new Set<string>();
  for (const { signingKeyId, actorOfToken } of sessions) {
    if (signingKeyId === undefined || read.has(signingKeyId)) continue;
    read.add(signingKeyId);
    const key = await views.get('signingKeys', signingKeyId);
    if (key?.status !== 'active') ended.set(signingKeyId, 'signing_key_inactive');
    else if (actorOfToken && !key.allowExternalActors) ended.set(signingKeyId, 'external_actors_not_allowed');
  }
  return ended;
};
