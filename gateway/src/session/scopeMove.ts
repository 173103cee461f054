import type { Logger } from '@roomwire/shared/ports/logger';
import type { Directory } from '../access/directory.js';
import { isCurrent } from '../access/topicAccess.js';
import type { Hub } from '../fanout/hub.js';
import type { Subscription } from '../fanout/subscription.js';
import type { Retained } from '../fanout/retained.js';
import type { ActorScope } from './identity.js';
import type { Session } from './session.js';

interface MoveDeps {
  readonly directory: Directory;
  readonly hub: Hub;
  readonly retained: Retained;
  /** Takes a session out of its room and its lobbies. */
  readonly presence: { leave(session: Session): void };
  readonly logger: Logger;
}

const retryAfterMs = 1_000;

/**
 * [WS-SCOPE-4] Takes a live session to the scope that its actor is in now. Nothing of the old scope reaches it from this
 * call on, and it is no longer present there; its subscriptions join the same addresses of the new scope between two of
 * its frames.
 */
export const moveToScope = (session: Session, scope: ActorScope | null, deps: MoveDeps): void => {
  const hasMoved = session.identity.scope !== (scope?.slug ?? null);
  session.enterScope(scope);
  if (!hasMoved) return;
  for (const subscription of session.subscriptions.values()) deps.hub.leave(subscription);
  deps.presence.leave(session);
  session.link.inTurn(() => rejoin(session, deps));
};

/** Whoever cannot be brought in for want of an engine is tried again until it can. */
const rejoin = async (session: Session, deps: MoveDeps): Promise<void> => {
  try {
    for (const [topic, subscription] of session.subscriptions) {
      if (!subscription.isJoined) await rejoinOne(session, topic, subscription, deps);
    }
  } catch (error) {
    deps.logger.warn('Subscriptions could not follow their actor to another scope yet', { error });
    setTimeout(() => session.link.inTurn(() => rejoin(session, deps)), retryAfterMs).unref();
  }
};

const rejoinOne = async (
  session: Session,
  topic: string,
  subscription: Subscription,
  deps: MoveDeps,
): Promise<void> => {
  const { directory, hub, retained } = deps;
  const access = await session.access(directory, topic);
  if (session.isOver) return;
  if (!access?.maySubscribe) return void session.subscriptions.delete(topic);
  session.sustain(subscription, access);
  await hub.join(subscription);
  const isWanted = !session.isOver && session.subscriptions.get(topic) === subscription;
  // Another move, which comes after this one, brings it in again.
  if (!isWanted || access.scope !== session.identity.scope) return hub.leave(subscription);
  if (isCurrent(access)) {
    hub.release(subscription);
    return retained.greet(subscription);
  }
  // Changed while the bus was asked: nobody else looks at a subscription that is on its way.
  hub.leave(subscription);
  return rejoinOne(session, topic, subscription, deps);
};
