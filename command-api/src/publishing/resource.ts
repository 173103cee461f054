import type { AcceptedMessage } from '@roomwire/shared/ports/publishing';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { maxDataBytes, maxFilters } from '@roomwire/shared/wire/protocol/limits';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { presentProtocolError, protocolErrorSchema } from '../http/protocolErrors.js';
import { publishIdPattern } from '@roomwire/shared/wire/protocol/messageOptions';
import * as s from '../http/schema.js';

/** Messages of one request. */
export const mostMessages = limitTable.publishedAtOnce.value;

/** Of the publisher's making: it is delivered once. */
const messageId = s.text({ pattern: publishIdPattern.source });

/** As on the socket, null is treated as a missing field, except for `data`. */
export const newMessageSchema = s.limited(
  s.titled(
    'NewMessage',
    s.strictObject(
      {
        topic: s.described(s.text(), '`app-slug/room-slug/topic`'),
        data: s.anything({ description: `Anything; at most ${maxDataBytes} bytes as MessagePack` }),
        base64: s.text({
          description: 'Instead of `data`: its MessagePack in base64',
          contentEncoding: 'base64',
        }),
        scope: s.described(
          s.orNull(s.text()),
          'The id or the slug of an access scope; not together with `as`',
        ),
        as: s.described(
          s.orNull(s.text()),
          'The `actorTokenId` or the `keyId` of an actor, who publishes instead of the backend, in its own scope',
        ),
        filter: s.described(s.orNull(s.text()), 'A value by which subscribers select; they see it'),
        filters: s.described(
          s.orNull(s.listOf(s.text())),
          `Further values, which subscribers do not see; at most ${maxFilters} together with \`filter\``,
        ),
        retain: s.orNull(
          s.flag({ description: 'Keeps the message as the last value of the topic', default: false }),
        ),
        qos: s.orNull(
          s.integer({
            description: 'How it crosses the bus: as on the socket',
            ...{ minimum: 0, maximum: 2, default: 1 },
          }),
        ),
        id: s.described(s.orNull(messageId), 'Of several messages with one id, one is delivered'),
        trigger: s.orNull(
          s.flag({
            description: 'Whether the trigger webhook of the topic is called; by default only with `as`',
          }),
        ),
        deliverAt: s.described(
          s.orNull(s.time),
          'When it is to be delivered, at most 30 days ahead; a past time is now',
        ),
      },
      ['topic'],
    ),
  ),
  { exactlyOneOf: ['data', 'base64'] },
);

export const exampleMessage = {
  topic: 'plant-1a2b/hall-3/temperature',
  data: { celsius: 93 },
  filter: 'alarm',
  id: 'reading-4711',
};

export const examplePublished = { id: exampleMessage.id, at: exampleTime };

const { topic } = exampleMessage;
const exampleBatch = {
  messages: [exampleMessage, { topic, base64: 'gadjZWxzaXVzXQ==', as: exampleIds.actorTokenId, qos: 0 }],
};
const exampleResults = { results: [examplePublished, presentProtocolError('unknownTopic')] };

export const publishSchema = s.either(
  newMessageSchema,
  s.limited(
    s.titled(
      'NewMessages',
      s.strictObject(
        { messages: s.limited(s.listOf(newMessageSchema), { minItems: 1, maxItems: mostMessages }) },
        ['messages'],
      ),
    ),
    { examples: [exampleBatch] },
  ),
);

const acceptedMessageSchema = s.titled(
  'AcceptedMessage',
  s.strictObject(
    {
      id: s.described(s.text(), 'As it was given, otherwise one that was made'),
      at: s.described(s.time, 'When it was accepted'),
      position: s.described(s.text(), 'In the history of its topic, where that has one'),
      duplicate: s.described(s.only(true), 'Only where an earlier message with the id has been accepted'),
    },
    ['id', 'at'],
  ),
);

const scheduledMessageSchema = s.titled(
  'ScheduledMessage',
  s.strictObject(
    {
      id: s.described(s.text(), 'As it was given, otherwise the `scheduledId`: the message will have it'),
      scheduledId: s.uuid,
      deliverAt: s.time,
      duplicate: s.described(s.only(true), 'Only where an earlier message with the id has been accepted'),
    },
    ['id', 'scheduledId', 'deliverAt'],
  ),
);

const anAcceptedSchema = s.either(acceptedMessageSchema, scheduledMessageSchema);

export const publishedSchema = s.either(
  anAcceptedSchema,
  s.limited(
    s.titledObject('PublishResults', {
      results: s.described(
        s.listOf(s.either(anAcceptedSchema, protocolErrorSchema)),
        'In the order of the messages',
      ),
    }),
    { examples: [exampleResults] },
  ),
);

export type Published = s.ValueOf<typeof publishedSchema>;

export const presentAccepted = ({
  id,
  at,
  position,
  isDuplicate,
  scheduled,
}: AcceptedMessage): s.ValueOf<typeof anAcceptedSchema> => {
  const accepted = scheduled
    ? { id, scheduledId: scheduled.scheduledId, deliverAt: new Date(scheduled.deliverAt).toISOString() }
    : { id, at: new Date(at).toISOString(), ...(position !== undefined && { position }) };
  return isDuplicate ? { ...accepted, duplicate: true } : accepted;
};
