import type { JobOptions } from '@roomwire/shared/ports/jobGroups';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { Client } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import type { LivingSubscription, SubscriptionLife } from '../connection-facts/connectionLife.js';
import type { Membership, MemberReplay } from '../groups/membership.js';
import type { WorkerGroups } from '../groups/workerGroups.js';
import type { HeldJobs } from '../jobs/members/heldJobs.js';
import type { JobMembership } from '../jobs/members/jobMembership.js';
import type { JobsHere } from '../jobs/noJobs.js';
import type { JobWishes } from '../jobs/queue/job.js';
import type { PendingAcks } from './pendingAcks.js';
import { isResumable, type SubscriptionOptions } from './subscriptionOptions.js';

/** A subscription as far as it is a member of a worker group. */
export interface Member extends LivingSubscription {
  readonly client: Client;
  readonly access: TopicAccess;
  readonly outbox: Client['outbox'];
  readonly meta: boolean;
  readonly pendingAcks: PendingAcks;
  /** The client has acknowledged a message. */
  done(msgId: string): void;
}

/** Delivers to members of worker groups. */
export interface MemberDelivery {
  /** Whether clients acknowledge messages. */
  readonly acks: boolean;
  /** Whether its connection reads as fast as it is written to. */
  hasRoom(subscription: Member): boolean;
  /** A job, the `delivery` of which counts from 1. */
  deliverJob(subscription: Member, message: LiveMessage, delivery: number): void;
  deliver(subscription: Member, message: LiveMessage): void;
  replay(subscription: Member): MemberReplay;
}

export interface MembershipDeps {
  readonly groups: Pick<WorkerGroups, 'join'>;
  readonly jobs: Pick<JobsHere, 'member'>;
  readonly members: MemberDelivery;
}

/** What the owner of a group with jobs asks of its members. */
export interface ConnectionJobs {
  readonly held: HeldJobs;
  /** The group of the subscription has been deleted. */
  ended(subscription: Member): void;
}

export type AnyMembership = Membership | JobMembership;

/** With which a subscription joins a worker group. */
export type JoinOptions = Pick<SubscriptionOptions, 'filters' | 'own' | 'group' | 'jobs'>;

interface Joining {
  readonly options: JoinOptions;
  /** Called between two messages of the topic when the join takes effect. */
  readonly entered: () => void;
  readonly jobs: ConnectionJobs;
  readonly life: Pick<SubscriptionLife, 'handedOut'>;
}

/** The membership of a subscription in a worker group; it has not joined yet. */
export const membershipOf = (subscription: Member, joining: Joining, deps: MembershipDeps): AnyMembership => {
  const { jobs } = joining.options;
  return jobs === undefined
    ? plainMembershipOf(subscription, joining, deps)
    : jobMembershipOf(subscription, jobs, joining, deps);
};

const plainMembershipOf = (
  subscription: Member,
  { options, entered }: Joining,
  { groups, members }: MembershipDeps,
): Membership => {
  const { filters, own, group = '' } = options;
  const { client, outbox } = subscription;
  const { room, topic, location } = subscription.access;
  const { actorTokenId, actorType, accessScope } = client.identity;
  return groups.join({
    ...{ room, topic, group, actorTokenId, filters, own, entered },
    connection: client.connection,
    isPersistent: isResumable(actorType),
    place: `${location.room.value.roomId}/${accessScope?.accessScopeId ?? ''}`,
    replay: members.replay(subscription),
    acks: members.acks,
    deliver: (message) => members.deliver(subscription, message),
    isReachable: () => outbox.isOpen,
  });
};

const jobMembershipOf = (
  subscription: Member,
  options: JobOptions,
  { options: wishes, entered, jobs: ofConnection, life }: Joining,
  { jobs, members }: MembershipDeps,
): JobMembership => {
  const { room, topic, location } = subscription.access;
  const { projectId, actorTokenId, accessScope } = subscription.client.identity;
  const owners = {
    ...{ projectId, appId: location.app.value.appId, roomId: location.room.value.roomId },
    accessScopeId: accessScope?.accessScopeId ?? null,
  };
  return jobs.member({
    ...{ owners, room, topic, options, entered, actorTokenId },
    name: wishes.group ?? '',
    wishes: jobWishesOf(subscription, wishes),
    held: ofConnection.held,
    hasRoom: () => members.hasRoom(subscription),
    deliver: (message, delivery) => {
      members.deliverJob(subscription, message, delivery);
      life.handedOut(subscription, message.id, delivery);
    },
    ended: () => ofConnection.ended(subscription),
  });
};

export const jobWishesOf = (
  { client }: Pick<Member, 'client'>,
  { filters, own }: Pick<SubscriptionOptions, 'filters' | 'own'>,
): JobWishes => ({ filters, own: own ? client.connection : undefined });
