import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { AuditEntry } from '@roomwire/shared/ports/auditIndex';
import type { PastRecord } from './pastRecord.js';
import { withoutSecrets, type AttributedDifference, type RecordState } from './recordStates.js';

/** Who did what, and when. */
export const presentChange = ({ id, type, metadata }: RecordedEvent) => ({
  eventId: id,
  type,
  occurredAt: metadata.occurredAt,
  principal: metadata.principal,
  requestId: metadata.requestId,
});

export const presentEntry = ({ event, changed }: AuditEntry) => ({
  ...presentChange(event),
  projectId: event.metadata.projectId,
  resourceIds: changed.map(({ id }) => id),
  data: withoutSecrets(event.data as object),
});

export const presentState = ({ view, id }: PastRecord, at: string, { record, lastChange }: RecordState) => ({
  resourceId: id,
  resourceType: view as string,
  at,
  record: record ?? null,
  lastChange: lastChange ? presentChange(lastChange) : null,
});

export const presentDifferences = (
  { view, id }: PastRecord,
  times: { readonly from: string; readonly to: string },
  differences: readonly AttributedDifference[],
) => ({
  resourceId: id,
  resourceType: view as string,
  ...times,
  differences: differences.map(({ change, ...difference }) => ({
    ...difference,
    change: presentChange(change),
  })),
});
