import type { DeadLetterFields, RedriveFailure } from '@roomwire/shared/domain/deadLetter';
import type { LostWork } from '@roomwire/shared/wire/bus/lostWork';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { isCallReport, type CallReport, type WorkReport } from '@roomwire/shared/wire/bus/webhookReports';
import { encodeCallPayload, encodeWorkPayload } from '@roomwire/shared/wire/webhooks/callPayload';

/** Whose it is. What a dead letter belongs to takes its payload with it when it is deleted. */
export interface FailureOwners {
  readonly organizationId: string;
  readonly projectId: string;
  readonly appId: string;
  readonly roomId: string | undefined;
  readonly accessScopeId: string | undefined;
}

/** A call, or other work, that has failed for good and is no entry yet. */
export interface NewFailure {
  readonly owners: FailureOwners;
  readonly fields: Omit<DeadLetterFields, 'payload'>;
  /** What was, or would have been, sent. */
  readonly encodePayload: () => Uint8Array;
}

type FailedCall = Extract<CallReport, { outcome: 'failed' }>;
type LostReport = Extract<WorkReport, { outcome: 'lost' }>;

/** The entry that a report is about. */
export const entryOf = (report: CallReport | WorkReport): FailureOwners & { readonly dlqId: string } =>
  isCallReport(report)
    ? { dlqId: report.call.callId, ...ownersOf(report.call) }
    : { dlqId: report.work.dlqId, ...ownersOf(report.work) };

const ownersOf = ({
  organizationId,
  projectId,
  appId,
  roomId,
  scope,
}: WebhookCall | LostWork): FailureOwners => ({
  ...{ organizationId, projectId, appId, roomId, accessScopeId: scope?.accessScopeId },
});

/** A call that was turned away may not have been made at all. */
const retriesOf = (attempts: number): number => Math.max(0, attempts - 1);

/** [HOOK-DLQ-1] A call that failed for good. Only triggers and room events are reported. */
export const failedCall = ({ call, responseStatus, error, status }: FailedCall): NewFailure => ({
  owners: ownersOf(call),
  fields: {
    ...idsOf(call, call.callId),
    kind: call.kind === 'event' ? 'event' : 'trigger',
    url: call.url,
    ...(call.sequence !== undefined && { sequence: call.sequence }),
    ...{ responseStatus, error, status, retryCount: retriesOf(call.attempts) },
  },
  encodePayload: () => encodeCallPayload(call),
});

/** [HOOK-DLQ-1] A job, or a scheduled publish. */
export const lostWork = ({ work, error, status }: LostReport): NewFailure => ({
  owners: ownersOf(work),
  fields: {
    ...idsOf(work, work.dlqId),
    ...{ kind: work.kind, url: null },
    ...(work.group !== undefined && { group: work.group }),
    ...(work.scheduledId !== undefined && { scheduledId: work.scheduledId }),
    ...{ responseStatus: null, error, status, retryCount: retriesOf(work.attempts) },
  },
  encodePayload: () => encodeWorkPayload(work),
});

const idsOf = ({ organizationId, projectId, appId }: WebhookCall | LostWork, dlqId: string) => ({
  ...{ dlqId, organizationId, projectId, appId },
});

/** The failure of a call that was redriven, for the existing entry. */
export const failedRedrive = (
  { call, responseStatus, error, status }: FailedCall,
  redriveId: string,
): RedriveFailure => ({
  ...{ dlqId: call.callId, redriveId, responseStatus, error, status, retryCount: retriesOf(call.attempts) },
});
