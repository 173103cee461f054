import { isCurrent, type TopicAccess } from '../access/topicAccess.js';
import { OtherKindOfGroup } from '../jobs/owner/otherKindOfGroup.js';
import type { SessionParts } from './sessionParts.js';
import type { Subscription } from './subscription.js';

// Every subscription, new, restored or moved to another scope, takes the same steps: `prepare` (nothing more is missed), `activate`
// (live messages reach it) and, once the client has the answer, `release`.

const retryAfterMs = 1_000;

/**
 * Joins the topic of the access, unless the session or the subscription ends or the actor changes its scope in the meantime.
 */
export const join = async (
  parts: SessionParts,
  address: string,
  subscription: Subscription,
  access: TopicAccess,
): Promise<'joined' | 'ended' | 'scopeChanged'> => {
  const { client, list } = parts;
  const listed = list.subscriptions.get(address);
  await subscription.prepare(access);
  const hasEnded = client.isOver || list.subscriptions.get(address) !== listed;
  const isScopeCurrent = access.scope === client.identity.scope;
  if (hasEnded || !isScopeCurrent) {
    subscription.cancel();
    return hasEnded ? 'ended' : 'scopeChanged';
  }
  activate(parts, address, subscription);
  return 'joined';
};

export const activate = (
  { client, deps, list }: SessionParts,
  address: string,
  subscription: Subscription,
): void => {
  const { access } = subscription;
  subscription.activate();
  list.set(address, subscription);
  // Not earlier: `endExpired` forgets the expiry of grants that no subscription depends on.
  client.restOn(access);
  // A change that arrived while waiting for the bus did not include this subscription.
  if (!isCurrent(access)) deps.recheckProject(client.identity.projectId);
};

/** The client has the answer. A new subscription gets the retained value. */
export const release = ({ deps }: SessionParts, subscription: Subscription, isNew: boolean): void => {
  subscription.release();
  // [WS-GROUP-7] Not for members of a group, since each message is for one of them.
  if (isNew && subscription.group === undefined) deps.retained.sendLast(subscription);
};

/**
 * [WS-SCOPE-4] The client has entered another scope: nothing of the old one reaches it from this call on. The
 * subscriptions join the same addresses of the new scope between two frames.
 */
export const changeScope = (parts: SessionParts): void => {
  for (const subscription of parts.list.subscriptions.values())
    subscription.leave({ reason: 'scope_changed' });
  // They are to be restored in the scope that the client is in.
  parts.changed();
  parts.client.inTurn(() => rejoin(parts));
};

/** Retries while an engine is unavailable. */
const rejoin = async (parts: SessionParts): Promise<void> => {
  try {
    for (const [address, subscription] of parts.list.subscriptions) {
      if (!subscription.isJoined) await rejoinOne(parts, address, subscription);
    }
  } catch (error) {
    parts.deps.logger.warn('Subscriptions could not follow their actor to another scope yet', { error });
    setTimeout(() => parts.client.inTurn(() => rejoin(parts)), retryAfterMs).unref();
  }
};

const rejoinOne = async (parts: SessionParts, address: string, subscription: Subscription): Promise<void> => {
  const { client, rights } = parts;
  const access = await client.access(address);
  if (client.isOver) return;
  if (!access?.maySubscribe) return rights.endFor(address, 'scope_changed');
  const outcome = await join(parts, address, subscription, access).catch((error: unknown) => {
    if (error instanceof OtherKindOfGroup) return 'otherKind' as const;
    throw error;
  });
  if (outcome === 'otherKind') return rights.endFor(address, 'scope_changed');
  // After another change of scope the next `rejoin` joins it.
  if (outcome === 'joined') release(parts, subscription, true);
};
