import type { WebhookOutcome } from '../../../src/wire/bus/webhookOutcomes.js';

const delivered: WebhookOutcome = {
  at: 1_700_000_000_000,
  organizationId: 'o',
  projectId: 'p',
  appId: 'a',
  kind: 'trigger',
  webhookId: 'c',
  urlOrigin: 'https://example.com',
  attempt: 1,
  outcome: '2xx',
  next: 'done',
  status: 204,
  durationMs: 1.25,
  requestBytes: 120,
};

export const outcomeSamples: readonly WebhookOutcome[] = [
  delivered,
  { ...delivered, outcome: 'timeout', next: 'retry', status: null, durationMs: 30_000 },
  { ...delivered, kind: 'hydration', outcome: 'forbidden', next: 'dropped', status: null, requestBytes: 0 },
];
