import { activityFields, type ActivityCounts } from '@roomwire/shared/ports/activityStore';
import { minuteMs } from '@roomwire/shared/activity/activity';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { clampedLimit } from '../http/clampedLimit.js';
import { exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';

const mostMinutes = limitTable.activityMinutes.value;
const usualMinutes = 60;

export const activityQuerySchema = s.queryOf({
  minutes: s.number({
    description: `Whole minutes until now; clamped to 1-${mostMinutes}`,
    default: usualMinutes,
  }),
});

export const minutesAsked = ({ minutes = usualMinutes }: s.ValueOf<typeof activityQuerySchema>): number =>
  clampedLimit(minutes, mostMinutes);

const counted = (description: string) => s.described(s.orNull(s.count), description);

const activityMinuteSchema = s.titledObject('ActivityMinute', {
  at: s.described(s.time, 'When the minute began'),
  connections: counted('At its end, on all gateways'),
  messagesIn: counted('Accepted publishes'),
  messagesOut: counted('Deliveries, each subscriber counted'),
  webhookCallsDelivered: counted('Calls that were answered with a 2xx'),
  webhookCallsFailed: counted('Calls that failed after every attempt'),
  refusals: counted('What the access log counts'),
});

export const activitySchema = s.titledObject('Activity', {
  data: s.described(
    s.listOf(activityMinuteSchema),
    'The oldest minute first. Null is not known: nobody counted, or a process that did has not told',
  ),
});

type ActivityMinute = s.ValueOf<typeof activityMinuteSchema>;

export const presentMinute = (minute: number, counts: ActivityCounts | null): ActivityMinute => ({
  at: new Date(minute * minuteMs).toISOString(),
  ...(Object.fromEntries(activityFields.map((field, at) => [field, counts?.[at] ?? null])) as Omit<
    ActivityMinute,
    'at'
  >),
});

export const exampleActivity = {
  data: [
    {
      at: exampleTime,
      ...{ connections: 120, messagesIn: 310, messagesOut: 4_200 },
      ...{ webhookCallsDelivered: 12, webhookCallsFailed: 0, refusals: 1 },
    },
  ],
};
