import type { StreamName } from '../facts/factStream.js';

/** How a figure is written for people. */
export type Unit = 'text' | 'count' | 'bytes' | 'percent' | 'milliseconds' | 'time';

export interface Heading {
  /** Of the answer's column. */
  readonly name: string;
  readonly label: string;
  readonly unit: Unit;
}

/** One question, asked of the facts of a stream, which stand in a view of its name. */
export interface Question {
  readonly name: string;
  readonly title: string;
  readonly stream: StreamName;
  readonly headings: readonly Heading[];
  readonly sql: string;
  /** People are shown this many of the last rows. */
  readonly lastRows?: number;
}

const dimensions = {
  project: ['project_id'],
  app: ['project_id', 'app'],
  scope: ['scope'],
  room: ['project_id', 'app', 'scope', 'room'],
  topic: ['project_id', 'app', 'scope', 'room', 'topic'],
  hour: ['hour'],
  day: ['day'],
} as const;

export type Dimension = keyof typeof dimensions;
export const dimensionNames = Object.keys(dimensions) as readonly Dimension[];

const expressions: Readonly<Record<string, string>> = {
  hour: "date_trunc('hour', time)",
  day: "date_trunc('day', time)",
};

const labels: Readonly<Record<string, Heading>> = {
  project_id: { name: 'project_id', label: 'project', unit: 'text' },
  app: { name: 'app', label: 'app', unit: 'text' },
  scope: { name: 'scope', label: 'scope', unit: 'text' },
  room: { name: 'room', label: 'room', unit: 'text' },
  topic: { name: 'topic', label: 'topic', unit: 'text' },
  hour: { name: 'hour', label: 'hour (UTC)', unit: 'time' },
  day: { name: 'day', label: 'day (UTC)', unit: 'time' },
};

const messageFigures: readonly Heading[] = [
  { name: 'messages', label: 'messages', unit: 'count' },
  { name: 'bytes', label: 'bytes', unit: 'bytes' },
  { name: 'actors', label: 'active actors', unit: 'count' },
];

/** An actor is active that has published. */
const messageAggregates =
  'count(*)::DOUBLE messages, coalesce(sum(bytes), 0)::DOUBLE bytes, count(DISTINCT publisher)::DOUBLE actors';

const columnsOf = (by: readonly Dimension[]): readonly string[] => [
  ...new Set(by.flatMap((dimension) => dimensions[dimension])),
];

const messagesBy = (by: readonly Dimension[], order: string, limit?: number): string => {
  const columns = columnsOf(by).map((name) => `${expressions[name] ?? name} AS ${name}`);
  return (
    `SELECT ${columns.join(', ')}, ${messageAggregates} FROM messages GROUP BY ALL ORDER BY ${order}` +
    (limit === undefined ? '' : ` LIMIT ${limit}`)
  );
};

const largestFirst = (by: readonly Dimension[]): string => ['messages DESC', ...columnsOf(by)].join(', ');

const messagesTable = (
  name: string,
  title: string,
  by: readonly Dimension[],
  order: string,
  limit?: number,
): Question => ({
  ...{ name, title, stream: 'messages', sql: messagesBy(by, order, limit) },
  headings: [...columnsOf(by).flatMap((column) => labels[column] ?? []), ...messageFigures],
});

/** Messages, bytes and active actors by whatever is asked for; in the order of time where time is in it. */
export const questionBy = (by: readonly Dimension[]): Question => {
  const time = columnsOf(by).filter((name) => expressions[name] !== undefined);
  const order = [...time, 'messages DESC', ...columnsOf(by)].join(', ');
  return messagesTable('by', `By ${by.join(', ')}`, by, order);
};

/** Everything that a report answers; lists that could be long have the `top` first of them. */
export const standardQuestions = (top: number): readonly Question[] => [
  {
    name: 'totals',
    title: 'Messages',
    stream: 'messages',
    headings: [
      ...messageFigures,
      { name: 'apps', label: 'apps', unit: 'count' },
      { name: 'rooms', label: 'rooms', unit: 'count' },
      { name: 'oldest', label: 'oldest (UTC)', unit: 'time' },
      { name: 'newest', label: 'newest (UTC)', unit: 'time' },
    ],
    sql: `SELECT ${messageAggregates}, count(DISTINCT (project_id, app))::DOUBLE apps,
            count(DISTINCT (project_id, app, scope, room))::DOUBLE rooms, min(time) oldest, max(time) newest
          FROM messages`,
  },
  messagesTable('apps', `Apps, the first ${top}`, ['app'], largestFirst(['app']), top),
  messagesTable('rooms', `Rooms, the first ${top}`, ['room'], largestFirst(['room']), top),
  messagesTable('topics', `Topics, the first ${top}`, ['topic'], largestFirst(['topic']), top),
  { ...messagesTable('hours', 'Hours, the last 24 with messages', ['hour'], 'hour'), lastRows: 24 },
  webhooks(top),
];

/** A call is delivered when one of its attempts was answered with a 2xx. */
const webhooks = (top: number): Question => ({
  name: 'webhooks',
  title: `Webhooks, the first ${top}`,
  stream: 'webhook-outcomes',
  headings: [
    { name: 'project_id', label: 'project', unit: 'text' },
    { name: 'app_id', label: 'app', unit: 'text' },
    { name: 'kind', label: 'kind', unit: 'text' },
    { name: 'calls', label: 'calls', unit: 'count' },
    { name: 'delivered', label: 'delivered', unit: 'count' },
    { name: 'success', label: 'success', unit: 'percent' },
    { name: 'attempts', label: 'attempts', unit: 'count' },
    { name: 'p50', label: 'median', unit: 'milliseconds' },
    { name: 'p95', label: '95th', unit: 'milliseconds' },
  ],
  sql: `SELECT *, 100 * delivered / calls AS success FROM (
          SELECT project_id, app_id, kind, count(DISTINCT webhook_id)::DOUBLE calls,
            count(DISTINCT webhook_id) FILTER (outcome = '2xx')::DOUBLE delivered, count(*)::DOUBLE attempts,
            quantile_cont(duration_ms, 0.5) p50, quantile_cont(duration_ms, 0.95) p95
          FROM "webhook-outcomes" GROUP BY ALL)
        ORDER BY calls DESC, project_id, app_id, kind LIMIT ${top}`,
});
