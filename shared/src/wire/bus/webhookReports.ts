import { Encoder, decode } from '@msgpack/msgpack';
import {
  constant,
  count,
  integer,
  object,
  oneOf,
  optional,
  orNull,
  text,
  tuple,
  union,
  type TypeOf,
} from '../schema.js';
import type { RecordCodec, WorkQueue } from './channel.js';
import { lostWork } from './lostWork.js';
import { versionField } from './recordCodec.js';
import { webhookCall } from './webhookCalls.js';

/** `pending`: it could succeed later. `failed`: it was refused. */
const failureStatus = oneOf('pending', 'failed');

const callReport = union(
  object({
    outcome: constant('failed'),
    call: webhookCall,
    /** Null when no answer came. */
    responseStatus: orNull(integer),
    error: text,
    status: failureStatus,
  }),
  /** A redriven dead letter was delivered. */
  object({
    outcome: constant('delivered'),
    call: webhookCall,
    /** Absent in reports of earlier versions. */
    responseStatus: optional(integer),
  }),
);

/** How a call has ended. */
export type CallReport = TypeOf<typeof callReport>;

const workReport = union(
  /** A job or a schedule came to nothing. */
  object({ outcome: constant('lost'), work: lostWork, error: text, status: failureStatus }),
  /** It was redriven: it is done, or waits to be done, as before it failed. */
  object({ outcome: constant('redriven'), work: lostWork, redriveId: text }),
  object({
    outcome: constant('notRedriven'),
    work: lostWork,
    redriveId: text,
    error: text,
    status: failureStatus,
  }),
);

const circuit = object({
  circuitId: text,
  organizationId: text,
  projectId: text,
  url: text,
});

const circuitReport = union(
  object({ outcome: constant('circuitOpened'), circuit, calls: count }),
  object({ outcome: constant('circuitClosed'), circuit }),
);

/** [HOOK-CIRCUIT-1] An endpoint answers nobody, or answers again. It may be reported by several processes. */
export type CircuitReport = TypeOf<typeof circuitReport>;

/** How work other than a call has ended. */
export type WorkReport = TypeOf<typeof workReport>;

/** What has failed, or was redriven, for the service that keeps the dead letters, and the circuits. */
export type WebhookReport = CallReport | WorkReport | CircuitReport;

const firstVersion = tuple(versionField(1), callReport);
const secondVersion = tuple(versionField(2), union(workReport, circuitReport));

export const webhookReportRecord = union(firstVersion, secondVersion);

const encoder = new Encoder({ ignoreUndefined: true });

export const isCallReport = (report: WebhookReport): report is CallReport => 'call' in report;

export const isCircuitReport = (report: WebhookReport): report is CircuitReport => 'circuit' in report;

/** Reports of calls are written as ever, so that earlier versions read them; they leave the others to a process that knows them. */
const codec: RecordCodec<WebhookReport> = {
  encode: (report) => encoder.encode([isCallReport(report) ? 1 : 2, report]),
  decode: (bytes) => {
    const record = decode(bytes);
    if (!webhookReportRecord.is(record)) throw new Error('Not a webhook report of a known version');
    return record[1];
  },
};

/** The reports of one id are processed in the order in which they were put. */
export const webhookReports: WorkQueue<WebhookReport> = {
  name: 'webhook-reports',
  key: (report) => {
    if (isCallReport(report)) return report.call.callId;
    return isCircuitReport(report) ? report.circuit.circuitId : report.work.dlqId;
  },
  codec,
  delayMs: 0,
};

/** A retired queue with the reports of earlier versions; takes no new ones. */
export const formerWebhookReports: WorkQueue<WebhookReport> = {
  ...webhookReports,
  name: 'webhook-dead-letters',
  isRetired: true,
};
