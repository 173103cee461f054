import type { SubscribeFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { isCurrent } from '../access/topicAccess.js';
import { Subscription, type SubscriptionOptions } from '../fanout/subscription.js';
import { filterError } from '../policy/filters.js';
import type { Session } from '../session/session.js';
import type { Handler } from './handler.js';

/** [WS-SUB-1] The answer comes once every message that is published from now on will be delivered. */
export const subscribe: Handler<'subscribe'> = async (session, frame, core) => {
  const { topic } = frame;
  const error = filterError(frame.filters);
  if (error) return error;
  const access = await session.access(core.directory, topic);
  if (!access?.maySubscribe) return 'unknownTopic';

  const options = optionsOf(session, frame);
  const existing = session.subscriptions.get(topic);
  const subscription = existing ?? new Subscription(session, access, options);
  subscription.access = access;
  const changing = core.hub.change(subscription, options);
  if (changing) await changing;
  if (session.isOver) return;
  const isNew = !subscription.isJoined;
  if (isNew) {
    await core.hub.join(subscription);
    if (session.isOver) return core.hub.leave(subscription);
    session.subscriptions.set(topic, subscription);
    // The actor came into another scope while the bus was asked.
    if (access.scope !== session.identity.scope) {
      core.hub.leave(subscription);
      return subscribe(session, frame, core);
    }
    // A change that came while the bus was asked did not find this subscription.
    if (!isCurrent(access)) core.revalidator.recheckProject(session.identity.projectId);
  }
  // Only now: a sweep forgets the ends of grants that no subscription of the session hangs on.
  session.sustain(subscription, access);
  core.sessionRecords.changed(session);
  session.link.send({ type: 'subscribed', topic, loadBalance: frame.loadBalance });
  core.hub.release(subscription);
  if (isNew) core.retained.greet(subscription);
  core.hydrations.ask(subscription);
};

const optionsOf = (
  { identity }: Session,
  { qos, filters, loadBalance, loadBalanceGroup }: SubscribeFrame,
): SubscriptionOptions => ({
  qos,
  filters: filters.length === 0 ? undefined : filters,
  group: loadBalance ? loadBalanceGroup || identity.actorTokenId : undefined,
});
