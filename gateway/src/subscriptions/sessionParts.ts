import type { Logger } from '@roomwire/shared/ports/logger';
import type { SubscriptionLife } from '../connection-facts/connectionLife.js';
import type { Retained } from '../fanout/retained.js';
import type { RecordReads } from '../history/recordReads.js';
import type { JobsHere } from '../jobs/noJobs.js';
import type { SubscriptionMemory } from '../limits/subscriptionMemory.js';
import type { Hydrations } from '../webhooks/hydrations.js';
import type { RoomSubscribers } from './roomSubscribers.js';
import type { OfConnection, Subscription, SubscriptionDeps } from './subscription.js';
import type { SubscriptionList } from './subscriptionList.js';
import type { RightfulClient, SubscriptionRights, SubscriptionRightsDeps } from './subscriptionRights.js';

/** A session that subscribes. */
export interface SubscribingClient extends RightfulClient {
  readonly life: SubscriptionLife;
  /** Runs a task between two frames. It must not reject. */
  inTurn(task: () => Promise<void>): void;
}

export interface PartDeps extends SubscriptionDeps, SubscriptionRightsDeps {
  readonly retained: Pick<Retained, 'sendLast'>;
  readonly record: RecordReads;
  readonly jobs: Pick<JobsHere, 'member' | 'isGroup'>;
  readonly roomSubscribers: RoomSubscribers;
  readonly hydrations: Pick<Hydrations, 'ask'>;
  readonly logger: Logger;
  readonly memory: Pick<SubscriptionMemory, 'open' | 'change'>;
  /** Of one connection. */
  readonly maxSubscriptions: number;
}

/** What everything works on that begins, moves and ends the subscriptions of one session. */
export interface SessionParts {
  readonly client: SubscribingClient;
  readonly deps: PartDeps;
  readonly list: SubscriptionList;
  readonly rights: SubscriptionRights;
  readonly ofConnection: OfConnection;
  /** The subscriptions of a session that is resumable may have changed. */
  readonly changed: () => void;
}

/** [WS-OBS-4] No backend is asked for an observer. */
export const hydrate = ({ client, deps }: SessionParts, subscription: Subscription): void => {
  if (!client.identity.observes) deps.hydrations.ask(subscription);
};
