import { busTopics, recordTopics, type BusTopic } from '../bus/busTopics.js';
import { clientFrames, type ClientFrameSpec } from '../protocol/clientFrames.js';
import { maxFrameBytes } from '../protocol/limits.js';
import { serverFrames } from '../protocol/serverFrames.js';
import type { JsonSchema } from '../schema.js';
import { busMessages, type BusMessage } from './busMessages.js';

const prose = `The WebSocket protocol of Roomwire, and the topics on Apache Kafka by which its processes work together.
The rules behind both are in \`docs/PROTOCOL.md\` and \`docs/KAFKA.md\`. Operations are described from the side of Roomwire: it
receives what a client sends.

A frame is a MessagePack map in a binary WebSocket message; a client may send the same as JSON in a text message, and is
answered in MessagePack. Fields that are not listed are ignored, and may come with later versions. An empty binary frame
is a heartbeat. A frame of more than ${maxFrameBytes} bytes closes the connection with 1009.`;

const msgpack = 'application/msgpack';
const allTopics = [...busTopics, ...recordTopics];
const socket = '#/channels/socket';
const upperFirst = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** A part of the document. */
export type Described = Readonly<Record<string, unknown>>;

/** The names under which the document has the frames of both sides. */
export const messageIds = {
  client: (type: string): string => `client${upperFirst(type)}`,
  server: (type: string): string => `server${upperFirst(type)}`,
} as const;

const heartbeatIds = { client: 'clientHeartbeat', server: 'serverHeartbeat' } as const;
const heartbeat = {
  name: 'heartbeat',
  summary: 'An empty binary frame, and the answer to it',
  contentType: 'application/octet-stream',
  payload: { type: 'string', maxLength: 0 },
};

const clientEntries = Object.entries<ClientFrameSpec>(clientFrames);
const serverEntries = Object.entries(serverFrames);

/** A client frame as it is decoded from MessagePack or JSON. */
const clientPayload = (
  type: string,
  { fields, ignored = {}, excluding = [] }: ClientFrameSpec,
): JsonSchema => {
  const onWire = Object.entries(fields).flatMap(([name, { json, isOptional }]) =>
    json === undefined ? [] : [{ name, json, isOptional }],
  );
  return {
    type: 'object',
    properties: {
      type: { const: type },
      ...Object.fromEntries(onWire.map(({ name, json }) => [name, json])),
      ...Object.fromEntries(Object.entries(ignored).map(([name, { json }]) => [name, json])),
    },
    required: ['type', ...onWire.flatMap(({ name, isOptional }) => (isOptional ? [] : [name]))],
    ...(excluding.length > 0 && { allOf: excluding.map(notBoth) }),
  };
};

/** One of the two is missing; `false` is equivalent to that. */
const notBoth = (names: readonly string[]): JsonSchema => ({
  anyOf: names.map((name) => ({ properties: { [name]: { enum: [false, null] } } })),
});

const socketMessages = (): Readonly<Record<string, Described>> =>
  Object.fromEntries([
    ...clientEntries.map(([type, spec]) => {
      const payload = clientPayload(type, spec);
      return [messageIds.client(type), frameOf(type, spec.summary, payload, spec.example)] as const;
    }),
    ...serverEntries.map(
      ([type, { summary, payload, example }]) =>
        [messageIds.server(type), frameOf(type, summary, payload.json, example)] as const,
    ),
    [heartbeatIds.client, heartbeat],
    [heartbeatIds.server, heartbeat],
  ]);

const frameOf = (name: string, summary: string, payload: object, example: object): Described => ({
  name,
  summary,
  contentType: msgpack,
  payload,
  examples: [{ payload: { type: name, ...example } }],
});

const onSocket = (id: string) => ({ $ref: `${socket}/messages/${id}` });

const received = (id: string, summary: string, answers: readonly string[]): Described => ({
  action: 'receive',
  channel: { $ref: socket },
  summary,
  messages: [onSocket(id)],
  reply: { channel: { $ref: socket }, messages: answers.map(onSocket) },
});

const socketOperations = (): Readonly<Record<string, Described>> => {
  const ofClients = clientEntries.map(([type, { summary, answers }]) => {
    const id = messageIds.client(type);
    return [id, received(id, summary, [...answers, 'error'].map(messageIds.server))] as const;
  });
  const pushed = serverEntries.flatMap(([type, { summary, isPushed }]) => {
    const id = messageIds.server(type);
    const operation = { action: 'send', channel: { $ref: socket }, summary, messages: [onSocket(id)] };
    return isPushed ? [[id, operation] as const] : [];
  });
  const beat = received(heartbeatIds.client, heartbeat.summary, [heartbeatIds.server]);
  return Object.fromEntries([...ofClients, ...pushed, [heartbeatIds.client, beat]]);
};

/** Throws for a topic whose records are not described. */
const busChannel = (topic: BusTopic, message: BusMessage | undefined): Described => {
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
        bindings: { kafka: { key: { type: 'string', description: key }, bindingVersion: '0.5.0' } },
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
const busOperation = (name: string): readonly (readonly [id: string, operation: Described])[] =>
  (['send', 'receive'] as const).map((action) => [
    `${action}-${name}`,
    {
      action,
      channel: { $ref: `#/channels/${name}` },
      messages: [{ $ref: `#/channels/${name}/messages/record` }],
    },
  ]);

/** The AsyncAPI 3.0 description of the socket and of the topics on Kafka. */
export const describeAsyncApi = (): Described => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Roomwire',
    version: '1.0.0',
    description: prose,
    license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  },
  defaultContentType: msgpack,
  servers: {
    socket: {
      host: '{host}',
      protocol: 'wss',
      variables: { host: { default: 'localhost' } },
    },
    kafka: { host: '{brokers}', protocol: 'kafka', variables: { brokers: { default: 'localhost:9092' } } },
  },
  channels: {
    socket: {
      address: '/ws',
      servers: [{ $ref: '#/servers/socket' }],
      messages: socketMessages(),
      bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
    },
    ...Object.fromEntries(allTopics.map((topic) => [topic.name, busChannel(topic, busMessages[topic.name])])),
  },
  operations: {
    ...socketOperations(),
    ...Object.fromEntries(allTopics.flatMap(({ name }) => busOperation(name))),
  },
});
