import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import { Buffer } from 'node:buffer';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, roomRecords } from '@roomwire/shared/wire/bus/roomRecord';
import { messagePackFields } from '@roomwire/shared/wire/protocol/frameFields';
import { messagePackAsJson } from '@roomwire/shared/wire/webhooks/messagePackAsJson';
import { webhookOutcomes, type WebhookOutcome } from '@roomwire/shared/wire/bus/webhookOutcomes';
import type { Column, Fact, FactStream } from './factStream.js';

export const messageColumns: readonly Column[] = [
  { name: 'time', type: 'TIMESTAMP' },
  { name: 'id', type: 'VARCHAR' },
  { name: 'project_id', type: 'VARCHAR' },
  { name: 'app', type: 'VARCHAR' },
  { name: 'scope', type: 'VARCHAR' },
  { name: 'room', type: 'VARCHAR' },
  { name: 'topic', type: 'VARCHAR' },
  { name: 'publisher', type: 'VARCHAR' },
  { name: 'qos', type: 'INTEGER' },
  { name: 'retained', type: 'BOOLEAN' },
  { name: 'bytes', type: 'INTEGER' },
  { name: 'data', type: 'VARCHAR' },
];

/** Project, app, scope, room and topic. */
type Place = readonly [string, string, string | null, string, string];

const mostPlaces = 10_000;
const noScope = '_';

/** What is kept of a message; its time is that of the bus where the message has no id. */
export type MessageFactOf = (message: LiveMessage, timestamp: number) => Fact;

/** Without payloads nothing of `data` is kept but its size as MessagePack. */
export const createMessageFactOf = (withPayloads: boolean): MessageFactOf => {
  // Most messages are of a few topics: their texts stand in memory once.
  const places = new Map<string, Place>();
  const placeOf = (internalTopic: string): Place => {
    const known = places.get(internalTopic);
    if (known) return known;
    const [project = '', app = '', scope = noScope, room = '', topic = ''] = internalTopic.split('/');
    const place: Place = [project, app, scope === noScope ? null : scope, room, topic];
    if (places.size >= mostPlaces) places.clear();
    places.set(internalTopic, place);
    return place;
  };

  return ({ id, topic, publisher, qos, retention, body }, timestamp) => {
    const data = messagePackFields(Buffer.from(body.buffer, body.byteOffset, body.byteLength)).raw('data');
    if (data === undefined) throw new Error('A message without data');
    return [
      timeOfId(id) ?? timestamp,
      id,
      ...placeOf(topic),
      // A backend is nobody.
      publisher === '' ? null : publisher,
      qos,
      retention !== undefined,
      data.length,
      withPayloads ? messagePackAsJson(data) : null,
    ];
  };
};

/** An id begins with the time at which the gateway took the message; that of the bus differs between two copies. */
const timeOfId = (id: string): number | undefined => {
  const time = acceptedAt(id);
  return Number.isNaN(time) ? undefined : time;
};

/** Every published message, once for each publish. */
export const messageFacts = (withPayloads: boolean): FactStream => {
  const messageFactOf = createMessageFactOf(withPayloads);
  return {
    name: 'messages',
    version: 1,
    columns: messageColumns,
    codec: roomRecords.codec,
    factOf: (bytes, timestamp) => {
      const record = roomRecords.codec.decode(bytes);
      return isGroupRecord(record) ? undefined : messageFactOf(record, timestamp);
    },
  };
};

export const outcomeColumns: readonly Column[] = [
  { name: 'time', type: 'TIMESTAMP' },
  { name: 'organization_id', type: 'VARCHAR' },
  { name: 'project_id', type: 'VARCHAR' },
  { name: 'app_id', type: 'VARCHAR' },
  { name: 'kind', type: 'VARCHAR' },
  { name: 'webhook_id', type: 'VARCHAR' },
  { name: 'url_origin', type: 'VARCHAR' },
  { name: 'attempt', type: 'INTEGER' },
  { name: 'outcome', type: 'VARCHAR' },
  { name: 'next', type: 'VARCHAR' },
  { name: 'status', type: 'INTEGER' },
  { name: 'duration_ms', type: 'DOUBLE' },
  { name: 'request_bytes', type: 'BIGINT' },
];

export const outcomeFactOf = (outcome: WebhookOutcome): Fact => [
  ...[outcome.at, outcome.organizationId, outcome.projectId, outcome.appId, outcome.kind],
  ...[outcome.webhookId, outcome.urlOrigin, outcome.attempt, outcome.outcome, outcome.next],
  ...[outcome.status, outcome.durationMs, outcome.requestBytes],
];

/** Every attempt of a webhook call. */
export const outcomeFacts: FactStream = {
  name: 'webhook-outcomes',
  version: 1,
  columns: outcomeColumns,
  codec: webhookOutcomes.codec,
  factOf: (bytes) => outcomeFactOf(webhookOutcomes.codec.decode(bytes)),
};
