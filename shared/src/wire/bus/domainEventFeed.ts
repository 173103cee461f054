import { Buffer } from 'node:buffer';
import type { RecordedEvent } from '../../domain/eventEnvelope.js';
import { annotated, anything, count, object, optional, text, textOrNull } from '../schema.js';
import type { Channel } from './channel.js';

/** The description of a `RecordedEvent`, whose type belongs to the domain. */
export const recordedEvent = object({
  id: text,
  type: text,
  schemaVersion: count,
  data: annotated({ type: 'object' }, anything),
  metadata: object({
    occurredAt: annotated({ format: 'date-time' }, text),
    organizationId: text,
    projectId: textOrNull,
    principal: text,
    requestId: text,
    traceparent: optional(text),
  }),
  stream: text,
  revision: count,
  position: text,
});

/**
 * Every domain event, once the read models contain it: at least once, in order per project.
 * Key: the project, or the organization for events without a project. Value: the event as JSON.
 */
export const domainEventFeed: Channel<RecordedEvent> = {
  name: 'domain-events',
  key: (event) => event.metadata.projectId ?? event.metadata.organizationId,
  codec: {
    encode: (event) => Buffer.from(JSON.stringify(event)),
    decode: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as RecordedEvent,
  },
};
