import { outcomeClasses, outcomeSteps, type WebhookOutcome } from '@roomwire/shared/wire/bus/webhookOutcomes';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';

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

export type OutcomesQuery = s.ValueOf<typeof outcomesQuerySchema>;

export const outcomesQuerySchema = s.queryOf({
  cursor: s.text({
    maxLength: 40,
    pattern: cursorPattern,
    description: '`cursor` of the previous answer; without one, outcomes from now on',
  }),
  projectId: s.uuid,
  appId: s.uuid,
  failed: s.oneOf(['true', 'false'], {
    description: '`true`: only attempts without a 2xx status; `false`: only those with one',
  }),
});

const outcomeSchema = s.titledObject('WebhookOutcome', {
  at: s.described(s.time, 'When the attempt ended'),
  projectId: s.uuid,
  appId: s.uuid,
  kind: s.oneOf(['trigger', 'hydration', 'event']),
  webhookId: s.described(s.uuid, 'The header `webhook-id`; the `dlqId` if the call fails for good'),
  urlOrigin: s.text({ description: 'Scheme, host and port of the URL' }),
  attempt: s.described(s.count, 'Counted from 1; a redrive starts again at 1'),
  outcome: s.oneOf(outcomeClasses, { description: 'Class of the status, or the reason why there is none' }),
  next: s.oneOf(outcomeSteps, { description: 'The next step' }),
  status: s.described(s.orNull(s.integer()), 'Null where there was no response'),
  durationMs: s.number(),
  requestBytes: s.described(s.count, 'Size of the body'),
});

export const outcomesSchema = s.titledObject('WebhookOutcomes', {
  data: s.described(s.listOf(outcomeSchema), 'In the order of arrival, at most 500'),
  cursor: s.text({ description: 'For the next request' }),
  gap: s.flag({ description: 'Some outcomes since the cursor are no longer available' }),
});

/** Without the organization, which is the caller's own. */
export const presentOutcome = ({
  organizationId: _,
  at,
  durationMs,
  ...outcome
}: WebhookOutcome): s.ValueOf<typeof outcomeSchema> => ({
  at: new Date(at).toISOString(),
  ...outcome,
  durationMs: Math.round(durationMs * 10) / 10,
});

export const exampleOutcomes: s.ValueOf<typeof outcomesSchema> = {
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
