import { isOfTheControlPlane } from '@roomwire/shared/domain/auditHeads';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { UnknownEvent } from '@roomwire/shared/domain/events';
import type { AuditEntry, AuditIndex, ChangedRecord } from '@roomwire/shared/ports/auditIndex';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Service } from '@roomwire/shared/runtime/service';
import { auditKeys } from '@roomwire/shared/wire/audit/auditKeys';
import type { ViewChange } from '@roomwire/shared/ports/viewStore';
import { createCheckpointedFollower, type FollowerDeps } from './checkpointedFollower.js';
import { changesOf as changesByProjectors } from './projectors.js';

export interface AuditFollowerDeps extends FollowerDeps {
  readonly index: AuditIndex;
  /** What an event changes, in the eyes of one version. Throws `UnknownEvent`. */
  readonly changesOf?: ChangesOf;
}

type ChangesOf = (event: RecordedEvent) => readonly ViewChange[];

/**
 * Keeps the audit index up to date with the log. It is not one of the read models, so that building it from a long log does not
 * delay them.
 */
export const createAuditFollower = (deps: AuditFollowerDeps): Service => {
  const { index, changesOf = changesByProjectors } = deps;
  return createCheckpointedFollower(deps, {
    name: 'audit index',
    checkpoint: () => index.checkpoint(),
    origin: () => index.origin(),
    resume: (checkpoint) => readAgain(index, changesOf, checkpoint),
    apply: (events, origin) => {
      const entries = events.filter(isOfTheControlPlane).map((event) => auditEntry(event, changesOf));
      return index.record(entries, origin.position, origin);
    },
    clear: () => index.clear(),
  });
};

/** Entries at a time. */
const pageSize = 100;

/** Entries that an older version could not read, and has put behind the checkpoint, get the keys that they lack. */
const readAgain = async (index: AuditIndex, changesOf: ChangesOf, checkpoint: LogPosition): Promise<void> => {
  let last: LogPosition | undefined;
  for (;;) {
    const unread = await index.findUnread(last, pageSize);
    last = unread.at(-1)?.event.position;
    if (last === undefined) return;
    const entries = unread.map(({ event }) => auditEntry(event, changesOf));
    await index.record(
      entries.filter(({ isUnread }) => isUnread === undefined),
      checkpoint,
    );
  }
};

/** The audit entry of an event. The projectors say what it changes; an event that they cannot read changes nothing. */
const auditEntry = (event: RecordedEvent, changesOf: ChangesOf): AuditEntry => {
  const read = readableChanges(event, changesOf);
  const changes = read ?? [];
  const changed = changes.flatMap(changedBy);
  const keys = [
    ...general(event),
    ...changed.flatMap(({ id }) => [auditKeys.record(id), auditKeys.resource(id)]),
    ...named(event.data).map(auditKeys.resource),
    ...changes.flatMap((change) => special(change, event.metadata.projectId)),
  ];
  return { event, changed, keys: [...new Set(keys)], ...(read === undefined && { isUnread: true }) };
};

/** Undefined where a newer version may read the event; a malformed one is read by none. */
const readableChanges = (event: RecordedEvent, changesOf: ChangesOf): readonly ViewChange[] | undefined => {
  try {
    return changesOf(event);
  } catch (error) {
    return error instanceof UnknownEvent ? undefined : [];
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
