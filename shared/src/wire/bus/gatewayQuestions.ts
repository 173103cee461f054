import {
  bytes,
  constant,
  count,
  described,
  flag,
  integer,
  listOf,
  object,
  optional,
  orNull,
  text,
  tuple,
  union,
  type TypeOf,
} from '../schema.js';
import type { Channel } from './channel.js';
import { jobAnswer, jobQuestion } from './jobQuestions.js';
import { roomField, versionedRecord } from './recordCodec.js';

const question = union(
  object({
    kind: constant('presence'),
    room: roomField,
    limit: count,
    after: optional(described('The last actor of the page before', text)),
  }),
  object({ kind: constant('occupancy'), rooms: listOf(roomField) }),
  object({
    kind: constant('impact'),
    projectId: text,
    events: described('That are assumed to happen: a list of their types and data, JSON', text),
  }),
  object({
    kind: constant('actorImpact'),
    projectId: text,
    actorTokenId: text,
    rule: described('By which its connections would be closed', text),
  }),
  object({ kind: constant('closeConnection'), connectionId: described('Its id on record', text) }),
  jobQuestion,
);

/** What a process asks a gateway. */
export type GatewayQuestion = TypeOf<typeof question>;

export type QuestionKind = GatewayQuestion['kind'];

/** What a gateway of this release answers; about jobs, where it has any. Its report says so. */
export const answeredQuestions = {
  ofState: ['presence', 'occupancy', 'impact', 'actorImpact'],
  ofConnections: ['closeConnection'],
  ofJobs: ['createGroup', 'listGroups', 'getGroup', 'peekGroup', 'deleteGroup'],
} as const satisfies Readonly<Record<string, readonly QuestionKind[]>>;

const questionRecord = object({
  to: described('The gateway that is asked', text),
  from: described('The process that asks: its id among the gateways', text),
  number: described('Counts the questions of the process', count),
  question,
});

export type AskedQuestion = TypeOf<typeof questionRecord>;

const cutOff = listOf(
  tuple(
    described('actorTokenId', text),
    described('As the client writes it', text),
    described('The slug of the scope', orNull(text)),
    described('By which it may not subscribe', text),
    described('Connections', count),
  ),
);

const answer = union(
  object({
    kind: constant('presence'),
    present: listOf(
      tuple(
        described('actorTokenId', text),
        described('A map, MessagePack', bytes),
        described('Unix seconds', integer),
      ),
    ),
    next: optional(text),
  }),
  object({
    kind: constant('occupancy'),
    knowsPresences: described('Whether the sender knows the presences of all gateways yet', flag),
    rooms: described(
      'Present actors and subscribed connections, in the order of the question',
      listOf(tuple(count, count)),
    ),
  }),
  object({
    kind: constant('impact'),
    total: described('Subscriptions that would end', count),
    cutOff,
  }),
  object({
    kind: constant('actorImpact'),
    total: described('Subscriptions that would end', count),
    cutOff,
    connections: described('That would close', count),
  }),
  object({
    kind: constant('closeConnection'),
    isClosed: described('False where the gateway does not have it', flag),
  }),
  jobAnswer,
  /** The gateway does not know it now; another one may. */
  object({ kind: constant('unknown') }),
);

export type GatewayAnswer = TypeOf<typeof answer>;

const answerRecord = object({
  to: described('The process that asked', text),
  number: described('As in the question', count),
  answer,
});

export type GivenAnswer = TypeOf<typeof answerRecord>;

export const gatewayQuestionRecord = versionedRecord('a question to a gateway', 1, questionRecord);
export const gatewayAnswerRecord = versionedRecord('an answer of a gateway', 1, answerRecord);

export const gatewayQuestions: Channel<AskedQuestion> = {
  name: 'gateway-questions',
  key: ({ to }) => to,
  codec: gatewayQuestionRecord.codec,
};

export const gatewayAnswers: Channel<GivenAnswer> = {
  name: 'gateway-answers',
  key: ({ to }) => to,
  codec: gatewayAnswerRecord.codec,
};
