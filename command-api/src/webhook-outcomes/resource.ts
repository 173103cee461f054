import {
  countSchema,
  described,
  flagSchema,
  integer,
  listOf,
  number,
  oneOf,
  orNull,
  queryOf,
  record,
  text,
  textSchema,
  timeSchema,
  uuidSchema,
  type ValueOf,
} from '../http/schema.js';
import { outcomeClasses, outcomeSteps, type WebhookOutcome } from '@roomwire/shared/wire/bus/webhookOutcomes';
import { exampleIds, exampleTime } from '../http/exampleValues.js';

/** A position in what one process has read; another process continues by the time. */
export interface Cursor {
  /** Names the process's reading: eight hexadecimal digits. */
  readonly reading: string;
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export const cursorPattern = '^[0-9a-f]{8}\\.\\d{1,15}\\.\\d{1,15}$';

export const textOfCursor = ({ reading, number, time }: Cursor): string => `${reading}.${number}.${time}`;

/** `text` matches the pattern. */
export const cursorOf = (text: string): Cursor => {
  const [reading = '', number = '', time = ''] = text.split('.');
  return { reading, number: Number(number), time: Number(time) };
};

export type OutcomesQuery = ValueOf<typeof outcomesQuerySchema>;

export const outcomesQuerySchema = queryOf({
  cursor: text({
    maxLength: 40,
    pattern: cursorPattern,
    description: '`cursor` of the previous answer; without one, outcomes from now on',
  }),
  projectId: uuidSchema,
  appId: uuidSchema,
  failed: oneOf(['true', 'false'], {
    description: '`true`: only attempts without a 2xx status; `false`: only those with one',
  }),
});

const outcomeSchema = record('WebhookOutcome', {
  at: described(timeSchema, 'When the attempt ended'),
  projectId: uuidSchema,
  appId: uuidSchema,
  kind: oneOf(['trigger', 'hydration']),
  webhookId: described(uuidSchema, 'The header `webhook-id`; the `dlqId` if the call fails for good'),
  urlOrigin: described(textSchema, 'Scheme, host and port of the URL'),
  attempt: described(countSchema, 'Counted from 1; a redrive starts again at 1'),
  outcome: oneOf(outcomeClasses, { description: 'Class of the status, or the reason why there is none' }),
  next: oneOf(outcomeSteps, { description: 'The next step' }),
  status: described(orNull(integer()), 'Null where there was no response'),
  durationMs: number(),
  requestBytes: described(countSchema, 'Size of the body'),
});

export const outcomesSchema = record('WebhookOutcomes', {
  data: described(listOf(outcomeSchema), 'In the order of arrival, at most 500'),
  cursor: described(textSchema, 'For the next request'),
  gap: described(flagSchema, 'Some outcomes since the cursor are no longer available'),
});

/** Without the organization, which is the caller's own. */
export const presentOutcome = ({
  organizationId: _,
  at,
  durationMs,
  ...outcome
}: WebhookOutcome): ValueOf<typeof outcomeSchema> => ({
  at: new Date(at).toISOString(),
  ...outcome,
  durationMs: Math.round(durationMs * 10) / 10,
});

export const exampleOutcomes: ValueOf<typeof outcomesSchema> = {
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
