import { outcomeClasses, outcomeSteps, type WebhookOutcome } from '@roomwire/shared/wire/bus/webhookOutcomes';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import {
  countSchema,
  flagSchema,
  listOf,
  orNull,
  record,
  textSchema,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';

const outcomeSchema = record('WebhookOutcome', {
  at: { ...timeSchema, description: 'When the attempt ended' },
  projectId: uuidSchema,
  appId: uuidSchema,
  kind: { type: 'string', enum: ['trigger', 'hydration'] },
  webhookId: { ...uuidSchema, description: 'The header `webhook-id`; the `dlqId` if it comes to nothing' },
  urlOrigin: { ...textSchema, description: 'Scheme, host and port of the URL' },
  attempt: { ...countSchema, description: 'Counted from 1; a redrive begins anew' },
  outcome: {
    type: 'string',
    enum: [...outcomeClasses],
    description: 'Class of the status, or why there is none',
  },
  next: { type: 'string', enum: [...outcomeSteps], description: 'What follows' },
  status: { ...orNull({ type: 'integer' }), description: 'Null where no answer came' },
  durationMs: { type: 'number' },
  requestBytes: { ...countSchema, description: 'Of the body' },
});

export const outcomesSchema = record('WebhookOutcomes', {
  data: { ...listOf(outcomeSchema), description: 'In the order in which they came, 500 at most' },
  cursor: { ...textSchema, description: 'For the next request' },
  gap: { ...flagSchema, description: 'Outcomes since the cursor are not kept any more' },
});

/** As an answer shows it: of the caller's own organization. */
export const presentOutcome = ({ organizationId: _, at, durationMs, ...outcome }: WebhookOutcome) => ({
  at: new Date(at).toISOString(),
  ...outcome,
  durationMs: Math.round(durationMs * 10) / 10,
});

export const exampleOutcomes = {
  data: [
    {
      at: exampleTime,
      projectId: exampleIds.projectId,
      appId: exampleIds.appId,
      kind: 'trigger',
      webhookId: exampleIds.dlqId,
      urlOrigin: 'https://example.com',
      attempt: 1,
      outcome: '5xx',
      next: 'retry',
      status: 503,
      durationMs: 41.7,
      requestBytes: 181,
    },
  ],
  cursor: '3f2a9c1b.17.1769851800123',
  gap: false,
};
