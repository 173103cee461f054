import type { SubscribeFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { TopicAccess } from '../access/topicAccess.js';
import { OtherKindOfGroup } from '../jobs/owner/otherKindOfGroup.js';
import { filterError } from '../policy/filters.js';
import { beginInRecord, beginsInRecord, type BeginOptions, type Begun } from './beginInRecord.js';
import { join, release } from './joining.js';
import { isOtherKind, newSubscription } from './newSubscription.js';
import { hydrate, type SessionParts } from './sessionParts.js';
import type { Subscription } from './subscription.js';
import { asked, optionsOf, type SubscriptionOptions } from './subscriptionOptions.js';

type Outcome = Promise<ProtocolErrorName | void>;

/** [WS-SUB-1] The answer is sent once every message that is published from now on will be delivered. */
export const subscribe = async (parts: SessionParts, frame: SubscribeFrame): Outcome => {
  const { client, deps, list } = parts;
  const { topic } = frame;
  const error = filterError(frame.filters);
  if (error) return error;
  // [WS-OBS-3]
  if (frame.loadBalance && client.identity.observes) return 'observerReadOnly';
  const access = await client.access(topic);
  if (!access?.maySubscribe) return 'unknownTopic';
  // [WS-CAP-3]
  if (frame.from !== undefined && !access.mayReadHistory) return 'unknownTopic';
  if (frame.from !== undefined && access.history === undefined) return 'historyDisabled';
  if (client.isOver) return;

  const known = list.subscriptions.get(topic);
  // [WS-MEM-2]
  if (known === undefined && list.subscriptions.size >= deps.maxSubscriptions) return 'subscriptionLimit';
  const options = optionsOf(frame, client.identity.actorTokenId);
  if (await isOtherKind(parts, access, options)) return 'invalidFrame';
  if (client.isOver) return;
  const subscription = known ?? newSubscription(parts, access, options);
  if (!list.take(topic, subscription, options)) return 'memoryLimitExceeded';
  try {
    return await enter(parts, frame, { subscription, access, options });
  } catch (error) {
    if (error instanceof OtherKindOfGroup) return 'invalidFrame';
    throw error;
  } finally {
    list.settle(topic, subscription);
  }
};

interface Entering {
  readonly subscription: Subscription;
  readonly access: TopicAccess;
  readonly options: SubscriptionOptions;
}

const enter = async (
  parts: SessionParts,
  frame: SubscribeFrame,
  { subscription, access, options }: Entering,
): Outcome => {
  const { client, deps, list } = parts;
  const { topic } = frame;
  subscription.restOn(access);
  const changing = subscription.change(options);
  if (changing) await changing;
  const history = beginsInRecord(frame, access) ? access.history : undefined;
  // [WS-HIST-7] What is held without a place could not be told from what is replayed.
  if (history) await deps.places.know(history.topic);
  if (client.isOver) return;
  const isNew = !subscription.isJoined;
  const held = history && { hold: deps.record.hold(frame), history };
  if (held) subscription.hold(held.hold);
  if (isNew) {
    // One that has ended during the change does not have the new options yet.
    void subscription.change(options);
    const outcome = await join(parts, topic, subscription, access);
    if (outcome === 'scopeChanged') return subscribe(parts, frame);
    // Its rights may have ended as soon as it began.
    if (outcome === 'ended' || !list.isListed(topic, subscription))
      return client.isOver ? undefined : 'unknownTopic';
  } else client.restOn(access);
  if (held) return begin(parts, frame, { subscription, ...held, isNew });
  answer(parts, frame, subscription);
  release(parts, subscription, isNew);
  hydrate(parts, subscription);
};

const answer = (
  { client, changed }: SessionParts,
  frame: SubscribeFrame,
  subscription: Subscription,
  place: Partial<Begun['answer']> = {},
): void => {
  const { topic, loadBalance } = frame;
  changed();
  subscription.isAnswered = true;
  client.send({ type: 'subscribed', topic, loadBalance, ...asked(frame), ...place });
};

interface Beginning extends Pick<BeginOptions, 'hold' | 'history' | 'isNew'> {
  readonly subscription: Subscription;
}

/** [WS-HIST-4] Its live messages wait until it is known what comes before them. */
const begin = async (
  parts: SessionParts,
  frame: SubscribeFrame,
  { subscription, ...options }: Beginning,
): Outcome => {
  const { client, deps, list } = parts;
  const { topic } = frame;
  const { isNew } = options;
  const begun = await beginInRecord(deps.record, subscription, { frame, ...options }).catch(
    (error: unknown) => {
      if (isNew) list.drop(topic, { reason: 'unavailable' });
      throw error;
    },
  );
  if (client.isOver) return;
  // Its rights have ended meanwhile, or its actor has changed its scope.
  if (begun === 'ended') return list.subscriptions.has(topic) ? subscribe(parts, frame) : 'unknownTopic';
  if (begun === 'unrecorded') {
    if (isNew) list.drop(topic, { reason: 'unavailable' });
    return subscribe(parts, frame);
  }
  if (begun === 'refused') {
    list.drop(topic, { reason: 'continuity_lost' });
    return 'continuityLost';
  }
  answer(parts, frame, subscription, begun.answer);
  // [WS-HIST-7] With `from` there is no last value besides.
  if (frame.from === undefined) release(parts, subscription, isNew);
  begun.start();
  hydrate(parts, subscription);
};
