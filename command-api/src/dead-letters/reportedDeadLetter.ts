import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import type { WebhookReport } from '@roomwire/shared/wire/bus/webhookReports';
import { requestBody } from '@roomwire/shared/wire/webhooks/requestBody';
import type { DeadLetterFields } from '@roomwire/shared/domain/dead-letters/deadLetter';

export type FailureReport = Extract<WebhookReport, { outcome: 'failed' }>;

/** Whose call it was, and what was sent where. */
const sent = (call: WebhookCall) => ({
  dlqId: call.callId,
  organizationId: call.organizationId,
  projectId: call.projectId,
  appId: call.appId,
  kind: 'trigger' as const,
  url: call.url,
  requestHeaders: Object.fromEntries(call.headers),
  requestBody: JSON.parse(requestBody(call)) as unknown,
});

/** [HOOK-DLQ-1] The entry that keeps a call which came to nothing. */
export const reportedDeadLetter = ({
  call,
  responseStatus,
  error,
  status,
}: FailureReport): DeadLetterFields => ({
  ...sent(call),
  responseStatus,
  error,
  retryCount: call.attempts - 1,
  status,
});

/** What a redrive has come to, for the entry that is there already. */
export const redriveFailure = ({ call, responseStatus, error, status }: FailureReport) => ({
  dlqId: call.callId,
  responseStatus,
  error,
  retryCount: call.attempts - 1,
  status,
});

const nothing = Uint8Array.of(0xc0);

/** The entry of a call that no event log takes: all but the data. */
export const withoutData = (report: FailureReport): FailureReport => ({
  ...report,
  call: { ...report.call, data: nothing },
  error: `${report.error}. The data, ${report.call.data.length} bytes, is too large for the event log and was not kept`,
});
