import { bytes, count, described, object, oneOf, optional, orNull, text, type TypeOf } from '../schema.js';
import type { WorkQueue } from './channel.js';
import { roomField, versionedRecord } from './recordCodec.js';
import { calledScope, type WebhookCall, webhookCalls } from './webhookCalls.js';

/** Which work of its own, other than webhook calls, a service gives up. */
const lostWorkKind = oneOf('job', 'schedule');

export const lostWork = object({
  dlqId: described(
    'A UUID of this failure. Work that was redriven and fails again is another entry, with another id',
    text,
  ),
  kind: lostWorkKind,
  organizationId: text,
  projectId: text,
  appId: text,
  roomId: text,
  /** Internal. */
  room: roomField,
  /** Room slug. */
  roomName: text,
  /** Without app and room. */
  topicName: text,
  actorId: described('`actorTokenId`; empty for a backend', text),
  scope: orNull(calledScope),
  data: described('As published, MessagePack', bytes),
  group: optional(described('Of a job: the name of its group', text)),
  scheduledId: optional(described('Of a schedule', text)),
  attempts: described('Deliveries of a job that count', count),
  rest: described('What else the service needs to do it once more, in a form of its own', bytes),
});

/** A job or a scheduled publish that came to nothing, with all that it takes to do it once more. */
export type LostWork = TypeOf<typeof lostWork>;

export const lostWorkRecord = versionedRecord('work that came to nothing', 1, lostWork);

const redrivenWork = object({ redriveId: text, work: lostWork });

/** Work that an operator wants done once more. Its service reports how that went, with the `redriveId`. */
export type RedrivenWork = TypeOf<typeof redrivenWork>;

export const redrivenWorkRecord = versionedRecord('redriven work', 1, redrivenWork);

const redrives = (name: string): WorkQueue<RedrivenWork> => ({
  name,
  key: ({ work }) => work.room,
  codec: redrivenWorkRecord.codec,
  delayMs: 0,
});

/** Jobs that go back into their groups. */
export const jobRedrives = redrives('job-redrives');

/** Scheduled publishes that are made at once. */
export const scheduleRedrives = redrives('schedule-redrives');

/** Calls of room events, as they were, with the redrive as their origin: whoever takes one puts it among the webhook calls. */
export const eventRedrives: WorkQueue<WebhookCall> = {
  ...webhookCalls,
  name: 'event-redrives',
  overlaps: false,
};
