import type { WebhookCircuit } from '@roomwire/shared/domain/webhookCircuit';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema } from '../http/listing.js';
import * as s from '../http/schema.js';

export const webhookCircuitsQuerySchema = pageQuerySchema(['openedAt']);

export const webhookCircuitSchema = s.titledObject('WebhookCircuit', {
  projectId: s.uuid,
  url: s.text({ description: 'Values in its query are `[hidden]` from viewers' }),
  calls: s.described(s.count, 'That were made without a 2xx before it was opened'),
  openedAt: s.time,
});

export const closeWebhookCircuitSchema = s.titled(
  'WebhookCircuitToClose',
  s.strictObject(
    { url: s.text({ minLength: 1, maxLength: 2048, description: 'The whole URL, as it was configured' }) },
    ['url'],
  ),
);

export const closedWebhookCircuitSchema = s.titledObject('ClosedWebhookCircuit', {
  closed: s.flag({ description: 'Whether it was open' }),
});

export type WebhookCircuitAnswer = s.ValueOf<typeof webhookCircuitSchema>;

export const presentWebhookCircuit = ({
  projectId,
  url,
  calls,
  openedAt,
}: WebhookCircuit): WebhookCircuitAnswer => ({ projectId, url, calls, openedAt });

export const exampleWebhookCircuit: WebhookCircuitAnswer = {
  projectId: exampleIds.projectId,
  url: 'https://example.com/hooks/roomwire',
  calls: 50,
  openedAt: exampleTime,
};
