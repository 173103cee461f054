import type { RecordedConnection } from '@roomwire/shared/ports/connectionRecord';
import type { ActorType } from '@roomwire/shared/domain/actor';
import { explainFor, type ExplainedActor } from '../explain/explain.js';
import type { Past, PastRecords } from '../explain/pastRecords.js';
import type { Access } from './actorOutcome.js';
import type { TracedTopic } from './tracedTopic.js';

/** Whether an actor might have subscribed to the topic at a time; undefined for an external actor that was never there. */
export const accessOf = async (
  records: PastRecords,
  { organizationId, projectId, scope, address }: TracedTopic,
  {
    actorTokenId,
    connection,
    time,
  }: { actorTokenId: string; connection: RecordedConnection | undefined; time: number },
): Promise<Access | undefined> => {
  const recorded = await records.get('actors', actorTokenId);
  const isOnRecord = recorded.value !== undefined || recorded.event !== undefined;
  if (!isOnRecord && connection === undefined) return undefined;
  const slug = scope?.slug ?? null;
  const isInScope = isOnRecord
    ? (recorded.value?.accessScopeId ?? null) === (scope?.accessScopeId ?? null)
    : connection?.scope === slug;
  if (!isInScope && (recorded.value !== undefined || !isOnRecord))
    return { isAllowed: false, rule: 'other_scope', event: recorded.event };
  // An external actor has no record of its own: it was what its token said.
  const actor: Past<ExplainedActor> = isOnRecord
    ? recorded
    : {
        value: externalActor(connection as RecordedConnection, projectId, scope?.accessScopeId ?? null),
        event: undefined,
      };
  return explainFor(records, { organizationId, actorTokenId, address, action: 'subscribe', time }, actor);
};

const externalActor = (
  { actorTokenId, actorType }: RecordedConnection,
  projectId: string,
  accessScopeId: string | null,
): ExplainedActor => ({
  ...{ actorTokenId, projectId, accessScopeId },
  actorType: actorType as ActorType,
  status: 'active',
  expiresAt: null,
});
