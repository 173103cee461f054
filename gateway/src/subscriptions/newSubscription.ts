import type { TopicAccess } from '../access/topicAccess.js';
import type { SessionParts } from './sessionParts.js';
import { Subscription } from './subscription.js';
import type { SubscriptionOptions } from './subscriptionOptions.js';

/** One that has not joined. */
export const newSubscription = (
  { client, deps, ofConnection }: SessionParts,
  access: TopicAccess,
  options: SubscriptionOptions,
): Subscription => new Subscription(client, access, options, ofConnection, deps);

/** [WS-JOB-3] Whether it would be a member without jobs of a group with jobs. */
export const isOtherKind = (
  { client, deps }: SessionParts,
  { topic, location }: TopicAccess,
  { group, jobs }: SubscriptionOptions,
): boolean | Promise<boolean> => {
  if (group === undefined || jobs !== undefined) return false;
  const { projectId, accessScope } = client.identity;
  const owners = {
    ...{ projectId, appId: location.app.value.appId, roomId: location.room.value.roomId },
    accessScopeId: accessScope?.accessScopeId ?? null,
  };
  return deps.jobs.isGroup({ owners, topic, name: group });
};
