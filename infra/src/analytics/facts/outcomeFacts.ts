import { webhookOutcomes, type WebhookOutcome } from '@roomwire/shared/wire/bus/webhookOutcomes';
import type { Column, Fact, FactStream } from './factStream.js';

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
  factOf: (bytes) => outcomeFactOf(webhookOutcomes.codec.decode(bytes)),
};
