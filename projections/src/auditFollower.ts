import { isOfTheControlPlane } from '@roomwire/shared/domain/auditHeads';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { AuditEntry, AuditIndex, ChangedRecord } from '@roomwire/shared/ports/auditIndex';
import type { Service } from '@roomwire/shared/runtime/service';
import { auditKeys } from '@roomwire/shared/wire/audit/auditKeys';
import type { ViewChange } from '@roomwire/shared/ports/viewStore';
import { createCheckpointedFollower, type FollowerDeps } from './checkpointedFollower.js';
import { changesOf } from './projectors.js';

export interface AuditFollowerDeps extends FollowerDeps {
  readonly index: AuditIndex;
}

/**
 * Keeps the audit index up to date with the log. It is not one of the read models, so that building it from a long log does not
 * delay them.
 */
export const createAuditFollower = (deps: AuditFollowerDeps): Service => {
  const { index } = deps;
  return createCheckpointedFollower(deps, {
    name: 'audit index',
    checkpoint: () => index.checkpoint(),
    origin: () => index.origin(),
    apply: (events, origin) =>
      index.record(events.filter(isOfTheControlPlane).map(auditEntry), origin.position, origin),
    clear: () => index.clear(),
  });
};

/** The audit entry of an event. The projectors say what it changes; an event that they cannot read changes nothing. */
const auditEntry = (event: RecordedEvent): AuditEntry => {
  const changes = readableChanges(event);
  const changed = changes.flatMap(changedBy);
  const keys = [
    ...general(event),
    ...changed.flatMap(({ id }) => [auditKeys.record(id), auditKeys.resource(id)]),
    ...named(event.data).map(auditKeys.resource),
    ...changes.flatMap((change) => special(change, event.metadata.projectId)),
  ];
  return { event, changed, keys: [...new Set(keys)] };
};

const readableChanges = (event: RecordedEvent): readonly ViewChange[] => {
  try {
    return changesOf(event);
  } catch {
    return [];
  }
};

const general = ({ type, metadata: { projectId, principal } }: RecordedEvent): string[] => [
  ...(projectId === null ? [] : [auditKeys.project(projectId)]),
  auditKeys.type(type),
  auditKeys.principal(principal),
];

const changedBy = (change: ViewChange): ChangedRecord[] => {
  if ('put' in change) return [{ view: change.put, id: change.id }];
  if ('patch' in change) return [{ view: change.patch, id: change.id }];
  if ('remove' in change) return [{ view: change.remove, id: change.id }];
  return [];
};

/** A query for a room also finds its grants, and one for an actor the grants that it holds. */
const namedFields = ['roomId', 'actorTokenId', 'accessScopeId'] as const;

const named = (data: unknown): string[] => {
  if (typeof data !== 'object' || data === null) return [];
  const fields = data as Readonly<Record<string, unknown>>;
  return namedFields.map((name) => fields[name]).filter((value) => typeof value === 'string');
};

const special = (change: ViewChange, projectId: string | null): string[] => {
  if ('remove' in change) return [auditKeys.removal(change.id)];
  if ('put' in change && change.put === 'apps')
    return [auditKeys.appSlug(change.doc.projectId, change.doc.slug)];
  if ('put' in change && change.put === 'rooms')
    return [auditKeys.roomSlug(change.doc.appId, change.doc.slug)];
  if ('put' in change && change.put === 'actors') return [auditKeys.actorKeyId(change.doc.keyId)];
  if ('patch' in change && change.patch === 'apps' && change.set.slug !== undefined && projectId !== null)
    return [auditKeys.appSlug(projectId, change.set.slug)];
  return [];
};
