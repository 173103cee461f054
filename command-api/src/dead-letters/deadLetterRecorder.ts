import {
  type CircuitReport,
  formerWebhookReports,
  type WebhookReport,
  webhookReports,
} from '@roomwire/shared/wire/bus/webhookReports';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus, QueueWorker } from '@roomwire/shared/ports/messageBus';
import type { PayloadStore } from '@roomwire/shared/ports/payloadStore';
import type { Random } from '@roomwire/shared/ports/random';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { ViewName } from '@roomwire/shared/wire/views/views';
import { payloadHash } from '@roomwire/shared/wire/webhooks/callPayload';
import type { Delivery } from '@roomwire/shared/domain/deadLetter';
import { recordCircuit } from '../webhook-circuits/recordCircuit.js';
import { createStreamWriter, executeAsSystem, systemContext } from '../handling/streamWriter.js';
import { deadLetterTarget, type DeadLetterCommand } from './decider.js';
import { EntryCounts } from './entryCounts.js';
import {
  entryOf,
  failedCall,
  failedRedrive,
  type FailureOwners,
  lostWork,
  type NewFailure,
} from './reportedFailure.js';

export interface DeadLetterRecorderDeps {
  readonly bus: MessageBus;
  readonly log: EventLog;
  readonly views: Pick<ViewReader, 'get' | 'count' | 'reached'>;
  readonly payloads: Pick<PayloadStore, 'put' | 'removeOf'>;
  readonly random: Random;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: LimitReports;
  /** Of a project; calls that fail beyond are not recorded. */
  readonly mostEntries?: number;
}

/** Reports that are handled at once; each is an append to a stream of its own. */
const concurrency = 32;

/**
 * [HOOK-DLQ-2] Writes what the consumers report into the event log. A report is complete when the event is stored, and
 * one that is delivered again changes nothing.
 */
export const createDeadLetterRecorder = (deps: DeadLetterRecorderDeps): Service => {
  const { bus, clock, logger, limits = new LimitReports({ clock, logger }) } = deps;
  const { mostEntries = limitTable.deadLetters.value } = deps;
  const counts = new EntryCounts({ ...deps, limits });
  const parts: Deps = { ...deps, limits, mostEntries, counts };
  const workers: QueueWorker[] = [];
  return {
    async start() {
      for (const queue of [webhookReports, formerWebhookReports])
        workers.push(await bus.work(queue, { concurrency }, (report) => record(parts, report)));
    },
    close: once(async () => {
      await Promise.all(workers.map((worker) => worker.close()));
    }),
  };
};

type Deps = Required<DeadLetterRecorderDeps> & { readonly counts: EntryCounts };

const record = (deps: Deps, report: WebhookReport): Promise<void> => {
  switch (report.outcome) {
    case 'failed': {
      const { origin } = report.call;
      if (origin.by !== 'redrive') return recordNew(deps, failedCall(report));
      const failure = failedRedrive(report, origin.redriveId);
      return execute(deps, report, { type: 'ReportRedriveFailed', failure });
    }
    case 'delivered': {
      const { call, responseStatus = null } = report;
      const redriveId = call.origin.by === 'redrive' ? call.origin.redriveId : null;
      return execute(deps, report, delivered({ dlqId: call.callId, redriveId, responseStatus }));
    }
    case 'circuitOpened':
    case 'circuitClosed':
      return recordCircuit(deps, report);
    case 'lost':
      return recordNew(deps, lostWork(report));
    case 'redriven': {
      const { work, redriveId } = report;
      return execute(deps, report, delivered({ dlqId: work.dlqId, redriveId, responseStatus: null }));
    }
    case 'notRedriven': {
      const { work, redriveId, error, status } = report;
      const failure = { dlqId: work.dlqId, redriveId, error, status, responseStatus: null, retryCount: 0 };
      return execute(deps, report, { type: 'ReportRedriveFailed', failure });
    }
  }
};

const delivered = (delivery: Delivery): DeadLetterCommand => ({ type: 'ReportDelivered', delivery });

/**
 * [HOOK-DLQ-3] The payload is stored before the event that refers to it. Between the two, or before, what it belongs to may
 * have been deleted, also while this process was dead: then it is removed again.
 */
const recordNew = async (deps: Deps, { owners, fields, encodePayload }: NewFailure): Promise<void> => {
  const { dlqId } = fields;
  const { stream, decider } = deadLetterTarget(dlqId);
  const writer = createStreamWriter({ stream, log: deps.log, random: deps.random });
  const known = await writer.submit(decider, { decide: () => [], select: ({ wasRecorded }) => wasRecorded });
  if (!known.result && (await isFull(deps, owners))) return;
  const content = encodePayload();
  if (!known.result) await store(deps, dlqId, owners, content);
  const entry = { ...fields, payload: { id: dlqId, sha256: payloadHash(content) } };
  const recorded = await writer.submit(decider, {
    decide: (state) => decider.decide({ type: 'RecordDeadLetter', entry }, state),
    context: systemContext(deps, owners),
    select: (state) => state.entry,
  });
  if (recorded.result === undefined || (await isOrphaned(deps, owners, recorded.position ?? '')))
    await deps.payloads.removeOf([dlqId]);
};

/** [HOOK-DLQ-4] */
const isFull = async (
  { counts, limits, mostEntries }: Deps,
  { projectId }: FailureOwners,
): Promise<boolean> => {
  if ((await counts.of(projectId)) >= mostEntries) {
    limits.reached('deadLetters', { projectId });
    return true;
  }
  counts.added(projectId);
  return false;
};

const store = async (
  { payloads, limits }: Deps,
  id: string,
  { projectId, appId, roomId, accessScopeId }: FailureOwners,
  content: Uint8Array,
): Promise<void> => {
  const owners = [appId, roomId, accessScopeId].filter((owner) => owner !== undefined);
  const evicted = await payloads.put({ id, projectId, owners, content });
  if (evicted > 0) limits.reached('payloadQuota', { projectId, payloads: evicted }, evicted);
};

/** How long a report waits for the read models, before it is handled again. */
const patienceMs = 5_000;

/**
 * Whether something that the payload belongs to was deleted before its event. What is deleted after that removes the payload
 * by itself.
 */
const isOrphaned = async (
  { views }: Deps,
  { projectId, appId, roomId, accessScopeId }: FailureOwners,
  position: string,
): Promise<boolean> => {
  if (!(await views.reached(position, patienceMs))) throw new EngineUnavailable('read models');
  const isGone = async (view: ViewName, id: string | undefined): Promise<boolean> =>
    id !== undefined && (await views.get(view, id)) === undefined;
  const gone = await Promise.all([
    isGone('projects', projectId),
    isGone('apps', appId),
    isGone('rooms', roomId),
    isGone('scopes', accessScopeId),
  ]);
  return gone.includes(true);
};

const execute = (
  deps: Deps,
  report: Exclude<WebhookReport, CircuitReport>,
  command: DeadLetterCommand,
): Promise<void> => {
  const { dlqId, ...owner } = entryOf(report);
  return executeAsSystem(deps, deadLetterTarget(dlqId), command, owner);
};
