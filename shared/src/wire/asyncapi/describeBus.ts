import type { BusTopic } from '../bus/busTopics.js';
import type { BusMessage } from './busMessages.js';
import { described, text } from './jsonSchema.js';

/** A part of the document. */
export type Described = Readonly<Record<string, unknown>>;

/** Throws for a topic whose records nobody has described. */
export const busChannel = (topic: BusTopic, message: BusMessage | undefined): Described => {
  if (message === undefined) throw new TypeError(`The records of ${topic.name} are not described`);
  const { summary, contentType, payload, key } = message;
  return {
    address: topic.name,
    servers: [{ $ref: '#/servers/kafka' }],
    messages: {
      record: {
        name: topic.name,
        summary,
        contentType,
        payload,
        bindings: { kafka: { key: described(key, text), bindingVersion: '0.5.0' } },
      },
    },
    bindings: { kafka: topicBinding(topic) },
  };
};

const topicBinding = ({ name, partitions, retentionMs, cleanup, maxRecordBytes }: BusTopic): Described => ({
  topic: name,
  partitions,
  topicConfiguration: {
    'cleanup.policy': [cleanup],
    'retention.ms': retentionMs,
    'max.message.bytes': maxRecordBytes,
  },
  bindingVersion: '0.5.0',
});

/** Roomwire's processes write and read every topic. */
export const busOperation = (name: string): readonly (readonly [id: string, operation: Described])[] =>
  (['send', 'receive'] as const).map((action) => [
    `${action}-${name}`,
    {
      action,
      channel: { $ref: `#/channels/${name}` },
      messages: [{ $ref: `#/channels/${name}/messages/record` }],
    },
  ]);
