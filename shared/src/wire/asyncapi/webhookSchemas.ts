import { outcomeClasses, outcomeSteps } from '../bus/webhookOutcomes.js';
import {
  bytes,
  constant,
  count,
  described,
  object,
  oneOf,
  orNull,
  list,
  text,
  tuple,
  type JsonSchema,
} from './jsonSchema.js';

const origin: JsonSchema = {
  oneOf: [
    object({ by: constant('publish') }),
    object({ by: constant('subscribe'), gatewayId: text, subscription: count }),
    object({ by: constant('redrive'), redriveId: text }),
  ],
};

const callFields = {
  callId: described('`webhook-id`, and the `dlqId` if it comes to nothing', text),
  kind: oneOf('trigger', 'hydration'),
  organizationId: text,
  projectId: text,
  appId: text,
  url: text,
  headers: list(tuple([text, text])),
  room: described('Project, app, scope and room', text),
  roomName: text,
  topicName: text,
  actorId: text,
  scope: orNull(object({ accessScopeId: text, slug: text, name: text })),
  data: bytes('As published, MessagePack; empty for a hydration'),
  origin,
  attempts: described('That were made so far', count),
  traceparent: described('W3C Trace Context of what has caused it; absent where that is not traced', text),
};

const call = object(callFields, ['traceparent']);

const version = constant(1);

export const webhookCallSchema: JsonSchema = tuple([version, call]);

export const webhookReportSchema: JsonSchema = tuple([
  version,
  {
    oneOf: [
      object({
        outcome: constant('failed'),
        call,
        responseStatus: orNull({ type: 'integer' }),
        error: text,
        status: oneOf('pending', 'failed'),
      }),
      object({ outcome: constant('delivered'), call }),
    ],
  },
]);

export const webhookAnswerSchema: JsonSchema = tuple([
  version,
  described('The gateway that asked', text),
  described('As in the call', count),
  bytes('The complete `hydration` for the subscriber, MessagePack'),
]);

export const webhookOutcomeSchema: JsonSchema = tuple([
  version,
  object({
    at: described('When the attempt ended, milliseconds since 1970', count),
    organizationId: text,
    projectId: text,
    appId: text,
    kind: oneOf('trigger', 'hydration'),
    webhookId: described('The same on every attempt of a call', text),
    urlOrigin: described('Scheme, host and port', text),
    attempt: described('Counted from 1; a redrive begins anew', count),
    outcome: oneOf(...outcomeClasses),
    next: oneOf(...outcomeSteps),
    status: described('Null when no answer came', orNull(count)),
    durationMs: { type: 'number' },
    requestBytes: described('Of the body', count),
  }),
]);
