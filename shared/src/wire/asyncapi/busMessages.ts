import { recordTopics } from '../bus/busTopics.js';
import { domainEventFeed } from '../bus/domainEventFeed.js';
import { gatewayNews } from '../bus/gatewayNews.js';
import { liveMessages, retainedMessages } from '../bus/liveMessage.js';
import { presenceNews } from '../bus/presenceNews.js';
import {
  webhookAnswers,
  webhookBacklog,
  webhookCalls,
  webhookReports,
  webhookRetries,
} from '../bus/webhookCalls.js';
import { webhookOutcomes } from '../bus/webhookOutcomes.js';
import { groupRecordSchema } from './groupRecordSchema.js';
import {
  bytes,
  constant,
  count,
  described,
  list,
  mapOf,
  object,
  oneOf,
  orNull,
  text,
  textOrNull,
  tuple,
  type JsonSchema,
} from './jsonSchema.js';
import {
  webhookAnswerSchema,
  webhookCallSchema,
  webhookOutcomeSchema,
  webhookReportSchema,
} from './webhookSchemas.js';

export interface BusMessage {
  readonly summary: string;
  readonly key: string;
  readonly contentType: 'application/msgpack' | 'application/json';
  /** As it is decoded from the content type. */
  readonly payload: JsonSchema;
}

const msgpack = 'application/msgpack';
const version = described('Records of another version are passed over', constant(1));
const room = described('Project, app, scope and room', text);
const named = (name: string, schema: JsonSchema): JsonSchema => ({ title: name, ...schema });

const retention = named('retention', tuple([text, text, text, textOrNull]));
const liveMessage = (retained: JsonSchema): readonly JsonSchema[] => [
  named('version', described('Records of another version are passed over', constant(2))),
  named('room', room),
  named('topic', described('The room and the topic name', text)),
  named('projectId', text),
  named('publisher', described('Does not get it', text)),
  named('qos', oneOf(0, 1, 2)),
  named('filters', list(text)),
  named('body', bytes('The complete `message` of the socket, MessagePack')),
  retained,
  named('id', text),
];

const put = [
  bytes('A map, MessagePack'),
  described('Unix seconds', { type: 'integer' }),
  { type: 'integer' },
];
const presenceRecord = (kinds: readonly string[], more: readonly JsonSchema[]): JsonSchema =>
  tuple([
    named('version', version),
    named('kind', oneOf(...kinds)),
    named('gatewayId', text),
    named('sequence', count),
    named('connection', count),
    named('room', room),
    named('actorTokenId', text),
    ...more,
  ]);

const news = (kind: string, fields: Readonly<Record<string, JsonSchema>> = {}): JsonSchema =>
  object({ kind: constant(kind), gatewayId: text, ...fields });
const report = object({ connections: mapOf(count), presenceSequence: count });

const metadata = object(
  {
    occurredAt: { type: 'string', format: 'date-time' },
    organizationId: text,
    projectId: textOrNull,
    principal: text,
    requestId: text,
    traceparent: text,
  },
  ['traceparent'],
);

const recorded: BusMessage = {
  summary: 'A message of a topic that is logged',
  key: 'room',
  contentType: msgpack,
  payload: tuple(liveMessage(orNull(retention))),
};

const webhookCall = (queue: string): BusMessage => ({
  summary: 'A webhook call that is to be made, with all that it needs',
  key: queue === webhookBacklog.name ? 'project and endpoint' : 'room',
  contentType: msgpack,
  payload: webhookCallSchema,
});

/** What stands on each topic of the bus, by the topic's name. */
export const busMessages: Readonly<Record<string, BusMessage>> = {
  [liveMessages.name]: {
    summary:
      'A published message, on its way between gateways, or what they tell one another of worker groups',
    key: 'room',
    contentType: msgpack,
    payload: { oneOf: [tuple(liveMessage(orNull(retention))), groupRecordSchema] },
  },
  [retainedMessages.name]: {
    summary: 'A retained message once more, for the memory of every gateway',
    key: 'room',
    contentType: msgpack,
    payload: tuple(liveMessage(retention)),
  },
  [domainEventFeed.name]: {
    summary: 'An event of the control plane, once the read models hold it',
    key: 'the project, or the organization for what has no project',
    contentType: 'application/json',
    payload: object({
      id: text,
      type: text,
      schemaVersion: count,
      data: { type: 'object' },
      metadata,
      stream: text,
      revision: count,
      position: text,
    }),
  },
  [gatewayNews.name]: {
    summary: 'What a gateway tells the others of itself',
    key: 'gatewayId',
    contentType: msgpack,
    payload: tuple([
      named('version', version),
      {
        oneOf: [
          news('beat', { number: count, report }),
          news('hello'),
          news('goodbye'),
          news('ask', { to: text }),
          news('state', { from: count, upTo: count }),
        ],
      },
    ]),
  },
  ...Object.fromEntries(
    [webhookCalls, ...webhookRetries, webhookBacklog].map(({ name }) => [name, webhookCall(name)]),
  ),
  [webhookReports.name]: {
    summary: 'What a trigger call, or a dead letter that was tried again, has come to',
    key: 'the id of the call',
    contentType: msgpack,
    payload: webhookReportSchema,
  },
  [webhookAnswers.name]: {
    summary: 'What a hydration webhook has answered, on its way to the subscriber',
    key: 'gatewayId',
    contentType: msgpack,
    payload: webhookAnswerSchema,
  },
  [webhookOutcomes.name]: {
    summary: 'What an attempt of a webhook call came to, for whoever watches or counts',
    key: 'projectId',
    contentType: msgpack,
    payload: webhookOutcomeSchema,
  },
  ...Object.fromEntries(recordTopics.map(({ name }) => [name, recorded])),
  [presenceNews.name]: {
    summary: 'What a gateway says of the presence of one of its connections',
    key: 'room',
    contentType: msgpack,
    payload: {
      oneOf: [presenceRecord(['leave'], []), presenceRecord(['enter', 'change', 'again'], put)],
    },
  },
};
