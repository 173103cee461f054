import type { AuthFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { RestoredSubscription } from '@roomwire/shared/wire/protocol/serverFrames';
import type { StoredSubscription } from '@roomwire/shared/ports/sessionStore';
import { isCurrent } from '../access/topicAccess.js';
import type { GatewayCore } from '../core.js';
import { Subscription } from '../fanout/subscription.js';
import type { Session } from '../session/session.js';

/** The bus delivers the room; the subscription is not in the hub yet. */
export interface Readied {
  readonly pattern: string;
  readonly subscription: Subscription;
}

type RestoreDeps = Pick<GatewayCore, 'directory' | 'hub' | 'revalidator' | 'sessionRecords'>;

/**
 * [WS-RESUME-2] Readies what was recorded and the actor still may subscribe to. Every one must be let in or turned away.
 * Rejects, and leaves nothing behind, where an engine is out of reach.
 */
export const ready = async (
  session: Session,
  frame: AuthFrame,
  core: RestoreDeps,
): Promise<readonly Readied[]> => {
  const recorded = await core.sessionRecords.recorded(session, frame);
  const outcomes = await Promise.allSettled(recorded.map((stored) => readyOne(session, stored, core)));
  const readied = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure === undefined) return readied;
  turnAway(readied, core);
  throw failure.reason;
};

const readyOne = async (
  session: Session,
  { pattern, qos, filters, loadBalance, loadBalanceGroup }: StoredSubscription,
  { directory, hub }: RestoreDeps,
): Promise<readonly Readied[]> => {
  const access = await session.access(directory, pattern);
  if (!access?.maySubscribe) return [];
  const group = loadBalance ? (loadBalanceGroup ?? session.identity.actorTokenId) : undefined;
  const options = { qos, filters: filters.length === 0 ? undefined : filters, group };
  const subscription = new Subscription(session, access, options);
  await hub.ready(subscription);
  return [{ pattern, subscription }];
};

/** At once, so that the answer that lists them comes before any of their messages. */
export const letIn = (
  session: Session,
  readied: readonly Readied[],
  { hub, revalidator }: RestoreDeps,
): readonly RestoredSubscription[] =>
  readied.map(({ pattern, subscription }) => {
    const { access, filters = [], group } = subscription;
    hub.add(subscription);
    session.subscriptions.set(pattern, subscription);
    session.sustain(subscription, access);
    if (!isCurrent(access)) revalidator.recheckProject(session.identity.projectId);
    const load_balance = group !== undefined;
    return { pattern, topic: access.topic, load_balance, load_balance_group: group ?? null, filters };
  });

export const turnAway = (readied: readonly Readied[], { hub }: Pick<RestoreDeps, 'hub'>): void => {
  for (const { subscription } of readied) hub.turnAway(subscription);
};
