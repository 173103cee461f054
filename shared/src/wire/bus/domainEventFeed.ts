import { Buffer } from 'node:buffer';
import type { RecordedEvent } from '../../domain/eventEnvelope.js';
import type { Channel } from './channel.js';

/**
 * Every domain event, once the read models hold it: at least once, in order for a project.
 * Key: the project, or the organization for what has no project. Value: the event as JSON.
 */
export const domainEventFeed: Channel<RecordedEvent> = {
  name: 'domain-events',
  key: (event) => event.metadata.projectId ?? event.metadata.organizationId,
  codec: {
    encode: (event) => Buffer.from(JSON.stringify(event)),
    decode: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as RecordedEvent,
  },
};
