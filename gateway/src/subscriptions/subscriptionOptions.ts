import type { ActorType } from '@roomwire/shared/domain/actor';
import type { JobOptions } from '@roomwire/shared/ports/jobGroups';
import type { SubscribeFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { wholeJobOptions } from '@roomwire/shared/wire/protocol/jobOptions';
import type { Qos } from '@roomwire/shared/wire/protocol/messageOptions';
import type { Wishes } from '../fanout/subscriber.js';

/** What a client may change of a subscription without leaving the topic. */
export interface SubscriptionOptions extends Wishes {
  readonly qos: Qos;
  /** The worker group of which it is a member; undefined for a subscription that gets every message. */
  readonly group: string | undefined;
  /** How the group hands out its jobs; undefined for one without jobs. */
  readonly jobs: JobOptions | undefined;
}

/** What a client asks for, in a frame or in a session on record; a group without a name has that of its actor. */
export const optionsOf = (
  {
    qos,
    filters,
    loadBalance,
    loadBalanceGroup,
    jobs,
    meta,
    own,
  }: Omit<SubscribeFrame, 'type' | 'topic' | 'from' | 'onGap'>,
  actorTokenId: string,
): SubscriptionOptions => ({
  ...{ qos, meta, own },
  jobs: jobs && wholeJobOptions(jobs),
  filters: filters.length === 0 ? undefined : filters,
  group: loadBalance ? loadBalanceGroup || actorTokenId : undefined,
});

export const wishesOf = ({ filters, meta, own }: Wishes): Wishes => ({ filters, meta, own });

/** What is named only where the client has asked for it. */
export const asked = ({ meta, own }: Pick<Wishes, 'meta' | 'own'>): { meta?: true; own?: true } => ({
  ...(meta && { meta }),
  ...(own && { own }),
});

/** [WS-RESUME-1] Whether subscriptions of the actor survive its connection. */
export const isResumable = (actorType: ActorType): boolean =>
  actorType === 'agent' || actorType === 'orchestrator';
