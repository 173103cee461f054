import { isCurrent } from '../access/topicAccess.js';
import type { Subscription } from '../fanout/hub.js';
import { filterSet, refusedFilters } from '../policy/filters.js';
import type { Handler } from './handler.js';

/** [WS-SUB-1] The answer comes once every message that is published from now on will be delivered. */
export const subscribe: Handler<'subscribe'> = async (session, { topic, filters, qos }, core) => {
  const refusal = refusedFilters(filters);
  if (refusal) return refusal;
  const access = await session.access(core.directory, topic);
  if (!access?.maySubscribe) return 'unknownTopic';

  const existing = session.subscriptions.get(topic);
  if (existing) {
    Object.assign(existing, { access, qos, filters: filterSet(filters) });
  } else {
    const subscription: Subscription = { session, access, qos, filters: filterSet(filters), slot: -1 };
    await core.hub.join(subscription);
    if (session.isOver) return core.hub.leave(subscription);
    session.subscriptions.set(topic, subscription);
    // A change that came while the bus was asked did not find this subscription.
    if (!isCurrent(access)) core.revalidator.recheckProject(session.identity.projectId);
  }
  session.link.send({ type: 'subscribed', topic, loadBalance: false });
};
