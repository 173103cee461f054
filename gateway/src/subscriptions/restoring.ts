import type { StoredSubscription } from '@roomwire/shared/ports/sessionStore';
import type { RestoredSubscription } from '@roomwire/shared/wire/protocol/serverFrames';
import { OtherKindOfGroup } from '../jobs/owner/otherKindOfGroup.js';
import { activate, release } from './joining.js';
import { isOtherKind, newSubscription } from './newSubscription.js';
import { hydrate, type SessionParts } from './sessionParts.js';
import type { Subscription } from './subscription.js';
import { asked, optionsOf } from './subscriptionOptions.js';

/** Subscriptions of an earlier connection that are prepared and not in force. Either `activate` or `cancel` must be called. */
export interface Restoration {
  /** Activates all of them together, so that the answer that lists them precedes their messages. */
  activate(): readonly RestoredSubscription[];
  /** The answer is sent. */
  release(): void;
  cancel(): void;
}

/**
 * [WS-RESUME-2] Prepares the stored subscriptions that the actor still may have. Rejects, without side effects, where
 * an engine is unavailable.
 */
export const restore = async (
  parts: SessionParts,
  recorded: readonly StoredSubscription[],
): Promise<Restoration> => {
  const outcomes = await Promise.allSettled(recorded.map((stored) => prepareStored(parts, stored)));
  const prepared = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  const cancel = (): void => {
    for (const [, subscription] of prepared) subscription.cancel();
    parts.list.giveUp();
  };
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined) {
    cancel();
    throw failure.reason;
  }
  return {
    activate: () =>
      prepared.map(([address, subscription]) => {
        activate(parts, address, subscription);
        return restored(address, subscription);
      }),
    release: () => {
      for (const [, subscription] of prepared) {
        subscription.isAnswered = true;
        release(parts, subscription, true);
        hydrate(parts, subscription);
      }
    },
    cancel,
  };
};

const prepareStored = async (
  parts: SessionParts,
  stored: StoredSubscription,
): Promise<readonly (readonly [address: string, subscription: Subscription])[]> => {
  const { client, list } = parts;
  const { pattern, loadBalanceGroup, jobs, meta = false, own = false } = stored;
  const access = await client.access(pattern);
  if (!access?.maySubscribe) return [];
  const wanted = { ...stored, jobs, meta, own, loadBalanceGroup: loadBalanceGroup ?? '' };
  const options = optionsOf(wanted, client.identity.actorTokenId);
  if (await isOtherKind(parts, access, options)) return [];
  const subscription = newSubscription(parts, access, options);
  if (!list.take(pattern, subscription, options)) return [];
  try {
    await subscription.prepare(access);
  } catch (error) {
    if (error instanceof OtherKindOfGroup) return [];
    throw error;
  }
  return [[pattern, subscription]];
};

const restored = (pattern: string, subscription: Subscription): RestoredSubscription => {
  const { access, filters = [], group, jobs } = subscription;
  return {
    pattern,
    topic: access.topic,
    load_balance: group !== undefined,
    load_balance_group: group ?? null,
    filters,
    ...asked(subscription),
    ...(jobs && { jobs }),
  };
};
