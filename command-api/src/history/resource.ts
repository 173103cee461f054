import { Buffer } from 'node:buffer';
import type { HistoryGap } from '@roomwire/shared/history/historyPage';
import type { HistoryTopic, KeptMessage } from '@roomwire/shared/ports/history';
import { acceptedAt, givenIdOf } from '@roomwire/shared/wire/bus/messageId';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { jsonValueOf } from '@roomwire/shared/wire/protocol/jsonValue';
import { messageParts } from '@roomwire/shared/wire/protocol/messageParts';
import { maxPositionLength, positionOf, positionPattern } from '@roomwire/shared/wire/protocol/position';
import { clampedLimit } from '../http/clampedLimit.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';

const mostMessages = limitTable.historyPage.value;
const usualMessages = 100;

const position = s.text({ maxLength: maxPositionLength, pattern: positionPattern.source });

const scopeParameter = s.text({
  description: 'An `accessScopeId`; without it the topic outside of every scope',
});

export const historyQuerySchema = s.queryOf({
  scope: scopeParameter,
  before: s.described(position, 'The newest before this position come first; empty for none'),
  after: s.described(
    position,
    'The oldest after this position come first; empty for the beginning. Not together with `before`',
  ),
  limit: s.number({ description: `Messages; clamped to 1-${mostMessages}`, default: usualMessages }),
});

export type HistoryQuery = s.ValueOf<typeof historyQuerySchema>;

export const deletedQuerySchema = s.queryOf({ scope: scopeParameter });

export const limitOf = ({ limit = usualMessages }: HistoryQuery): number => clampedLimit(limit, mostMessages);

/** What was published, in a record of a message. */
export const dataFields = {
  data: s.anything({ description: 'As it was published; null where JSON cannot hold it' }),
  base64: s.text({
    description: 'Only where JSON cannot hold the data: its MessagePack in base64',
    contentEncoding: 'base64',
  }),
};

const messageSchema = s.titled(
  'KeptMessage',
  s.strictObject(
    {
      id: s.described(s.text(), 'As its publisher gave it, otherwise one that was made'),
      at: s.described(s.time, 'When it was accepted'),
      actorTokenId: s.described(s.orNull(s.text()), 'Of its publisher; null for a backend'),
      position: s.text(),
      filter: s.described(s.orNull(s.text()), 'Null where it was published without one'),
      ...dataFields,
    },
    ['id', 'at', 'actorTokenId', 'position', 'filter', 'data'],
  ),
);

const gapSchema = s.strictObject(
  {
    reason: s.oneOf(['expired', 'limit', 'unknown']),
    after: s.described(s.text(), 'What is missing stands behind this position'),
    before: s.described(s.text(), 'What is missing stands before this position'),
  },
  ['reason'],
);

export const presentGap = ({ reason, after, before }: HistoryGap): s.ValueOf<typeof gapSchema> => ({
  reason,
  ...(after !== undefined && { after }),
  ...(before !== undefined && { before }),
});

export const historySchema = s.titled(
  'MessageHistory',
  s.strictObject(
    {
      data: s.listOf(messageSchema),
      next: s.described(s.text(), 'The position to go on from; absent at the end'),
      gap: s.described(gapSchema, 'Only where messages behind `after` are missing'),
    },
    ['data'],
  ),
);

type Message = s.ValueOf<typeof messageSchema>;

export const presentMessage = (topic: HistoryTopic, { place, message }: KeptMessage): Message => {
  const { id, publisher, body } = message;
  const { filter, data } = messageParts(body);
  return {
    id: givenIdOf(id) ?? id,
    at: new Date(acceptedAt(id)).toISOString(),
    actorTokenId: publisher === '' ? null : publisher,
    position: positionOf(topic, place),
    filter,
    ...presentData(data),
  };
};

export const presentData = (data: Uint8Array): Pick<Message, 'data' | 'base64'> => {
  const inJson = jsonValueOf(data);
  return inJson ? { data: inJson.value } : { data: null, base64: Buffer.from(data).toString('base64') };
};

export const exampleHistory = {
  data: [
    {
      id: 'reading-4711',
      at: exampleTime,
      actorTokenId: exampleIds.actorTokenId,
      position: '0ml1v2k9c-0000000001r-Yk3x_0dT9a',
      filter: 'alarm',
      data: { celsius: 93 },
    },
  ],
  next: '0ml1v2k9c-0000000001r-Yk3x_0dT9a',
};
