import {
  formerWebhookReports,
  type WebhookCall,
  type WebhookReport,
  webhookReports,
} from '@roomwire/shared/wire/bus/webhookCalls';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus, QueueWorker } from '@roomwire/shared/ports/messageBus';
import type { Random } from '@roomwire/shared/ports/random';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { executeAsSystem } from '../handling/streamWriter.js';
import { deadLetterTarget, type DeadLetterCommand } from './decider.js';
import { requestBody } from '@roomwire/shared/wire/webhooks/requestBody';
import type { DeadLetterFields } from '@roomwire/shared/domain/deadLetter';

export interface DeadLetterRecorderDeps {
  readonly bus: MessageBus;
  readonly log: EventLog;
  readonly random: Random;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reports that are handled at once; each is an append to a stream of its own. */
const concurrency = 32;

/**
 * [HOOK-DLQ-2] Writes what the consumers report into the event log. A report is complete when the event is stored, and
 * one that is delivered again changes nothing.
 */
export const createDeadLetterRecorder = (deps: DeadLetterRecorderDeps): Service => {
  const workers: QueueWorker[] = [];
  return {
    async start() {
      for (const queue of [webhookReports, formerWebhookReports])
        workers.push(await deps.bus.work(queue, { concurrency }, (report) => record(deps, report)));
    },
    close: once(async () => {
      await Promise.all(workers.map((worker) => worker.close()));
    }),
  };
};

const record = async (deps: DeadLetterRecorderDeps, report: WebhookReport): Promise<void> => {
  const { callId, origin } = report.call;
  if (report.outcome === 'delivered') await execute(deps, report, { type: 'ReportDelivered', dlqId: callId });
  else if (origin.by === 'redrive')
    await execute(deps, report, {
      type: 'ReportRedriveFailed',
      failure: { ...redriveFailure(report), redriveId: origin.redriveId },
    });
  else await recordNew(deps, report);
};

const recordNew = async (deps: DeadLetterRecorderDeps, report: FailureReport): Promise<void> => {
  try {
    await execute(deps, report, { type: 'RecordDeadLetter', entry: reportedDeadLetter(report) });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const { callId } = report.call;
    deps.logger.error('A dead letter is too large for the event log and is kept without its data', {
      callId,
    });
    const entry = reportedDeadLetter(withoutData(report));
    await execute(deps, report, { type: 'RecordDeadLetter', entry });
  }
};

const execute = (
  deps: DeadLetterRecorderDeps,
  { call }: WebhookReport,
  command: DeadLetterCommand,
): Promise<void> => executeAsSystem(deps, deadLetterTarget(call.callId), command, call);

export type FailureReport = Extract<WebhookReport, { outcome: 'failed' }>;

/** The owner of the call and its request. */
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

/** A call that was turned away may not have been made at all. */
const retriesOf = ({ attempts }: WebhookCall): number => Math.max(0, attempts - 1);

/** [HOOK-DLQ-1] The dead letter of a call that failed for good. */
export const reportedDeadLetter = ({
  call,
  responseStatus,
  error,
  status,
}: FailureReport): DeadLetterFields => ({
  ...sent(call),
  responseStatus,
  error,
  retryCount: retriesOf(call),
  status,
});

/** The failure of a redrive, for the existing dead letter. */
export const redriveFailure = ({ call, responseStatus, error, status }: FailureReport) => ({
  dlqId: call.callId,
  responseStatus,
  error,
  retryCount: retriesOf(call),
  status,
});

const nothing = Uint8Array.of(0xc0);

/** The report of a call that is too large for the event log, without its data. */
export const withoutData = (report: FailureReport): FailureReport => ({
  ...report,
  call: { ...report.call, data: nothing },
  error: `${report.error}. The data, ${report.call.data.length} bytes, is too large for the event log and was not kept`,
});
