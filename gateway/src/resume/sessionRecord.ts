import { createHash } from 'node:crypto';
import type { AuthFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { ActorType } from '@roomwire/shared/domain/actors/actor';
import type { StoredSession, StoredSubscription } from '@roomwire/shared/ports/sessionStore';
import type { Session } from '../session/session.js';

/** More than this of patterns and filters is not recorded: a document of an engine has its limits. */
const mostCharacters = 2_000_000;

/** [WS-RESUME-1] */
export const isResumable = (actorType: ActorType): boolean =>
  actorType === 'agent' || actorType === 'orchestrator';

/** Those without a client id share one name, which no client id has. */
export const instanceOf = ({ clientId }: Pick<AuthFrame, 'clientId'>): string =>
  clientId === undefined || clientId === '' ? '' : createHash('sha256').update(clientId).digest('base64url');

type SessionRecordFields = Pick<SessionRecord, 'instance' | 'keeper' | 'number'>;

/** What is to be written down of a live session, by the connection that keeps it. */
export class SessionRecord {
  readonly actorTokenId: string;
  readonly instance: string;
  readonly keeper: string;
  /** Rises with each record of this gateway. */
  readonly number: number;
  /** Whether the store knows this keeper. */
  isTaken = false;
  /** Another connection keeps it now, or it was forgotten. */
  isLost = false;
  private readonly session: Session;
  private last: Omit<StoredSession, 'expiresAt'> | undefined;

  constructor(session: Session, { instance, keeper, number }: SessionRecordFields) {
    this.session = session;
    this.actorTokenId = session.identity.actorTokenId;
    this.instance = instance;
    this.keeper = keeper;
    this.number = number;
  }

  /** The subscriptions are about to be taken from the session. */
  ends(): void {
    this.last = this.current();
  }

  state(expiresAt: number): StoredSession {
    return { ...(this.last ?? this.current()), expiresAt };
  }

  private current(): Omit<StoredSession, 'expiresAt'> {
    const { identity, subscriptions } = this.session;
    const { actorTokenId, instance, keeper } = this;
    return {
      ...{ actorTokenId, instance, keeper },
      accessScopeId: identity.accessScope?.accessScopeId ?? null,
      subscriptions: storedSubscriptions(subscriptions),
    };
  }
}

const storedSubscriptions = (subscriptions: Session['subscriptions']): readonly StoredSubscription[] => {
  const stored: StoredSubscription[] = [];
  let left = mostCharacters;
  for (const [pattern, { qos, filters = [], group }] of subscriptions) {
    left -=
      pattern.length + (group ?? '').length + filters.flat().reduce((sum, value) => sum + value.length, 0);
    if (left < 0) break;
    const loadBalance = group !== undefined;
    stored.push({ pattern, qos, filters, loadBalance, loadBalanceGroup: group ?? null });
  }
  return stored;
};
