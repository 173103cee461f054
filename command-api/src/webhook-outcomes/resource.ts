import type { JsonSchema } from '../http/route.js';
import {
  uuidSchema,
  countSchema,
  flagSchema,
  listOf,
  orNull,
  record,
  textSchema,
  timeSchema,
} from '../http/schema.js';
import { outcomeClasses, outcomeSteps, type WebhookOutcome } from '@roomwire/shared/wire/bus/webhookOutcomes';
import { exampleIds, exampleTime } from '../http/exampleValues.js';

/** A place in what one process has seen; another process goes on by the time. */
export interface Cursor {
  /** Of the process's reading: eight hexadecimal digits. */
  readonly reading: string;
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export const cursorPattern = '^[0-9a-f]{8}\\.\\d{1,15}\\.\\d{1,15}$';

export const textOfCursor = ({ reading, number, time }: Cursor): string => `${reading}.${number}.${time}`;

/** Of a text that fits the pattern. */
export const cursorOf = (text: string): Cursor => {
  const [reading = '', number = '', time = ''] = text.split('.');
  return { reading, number: Number(number), time: Number(time) };
};

export interface OutcomesQuery {
  readonly cursor?: string;
  readonly projectId?: string;
  readonly appId?: string;
  readonly failed?: 'true' | 'false';
}

export const outcomesQuerySchema: JsonSchema = {
  type: 'object',
  properties: {
    cursor: {
      type: 'string',
      maxLength: 40,
      pattern: cursorPattern,
      description: 'Of the answer before; from now on without one',
    },
    projectId: uuidSchema,
    appId: uuidSchema,
    failed: {
      type: 'string',
      enum: ['true', 'false'],
      description: '`true`: only attempts without a 2xx; `false`: only those with one',
    },
  },
};

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
