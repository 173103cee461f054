import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { barChart, columnChart } from './svgCharts.js';
import type { Row } from '../store/duckDb.js';
import type { Report } from './report.js';
import { formatCount, formatTime } from './formatReport.js';

const hourMs = 3_600_000;
/** More hours than this are shown as days. */
const mostHours = 14 * 24;

interface Moment {
  readonly time: number;
  readonly messages: number;
}

interface Timeline {
  readonly step: 'hour' | 'day';
  readonly moments: readonly Moment[];
}

/** One for each hour or day from the first to the last, those without a message too. */
export const timeline = (hours: readonly Moment[]): Timeline => {
  const [first, last] = [hours[0]?.time, hours.at(-1)?.time];
  if (first === undefined || last === undefined) return { step: 'hour', moments: [] };
  const step = (last - first) / hourMs < mostHours ? 'hour' : 'day';
  const stepMs = step === 'hour' ? hourMs : 24 * hourMs;
  const begin = Math.floor(first / stepMs);
  const columns = Array.from({ length: Math.floor(last / stepMs) - begin + 1 }, (_, n) => ({
    time: (begin + n) * stepMs,
    messages: 0,
  }));
  for (const { time, messages } of hours) {
    const column = columns[Math.floor(time / stepMs) - begin];
    if (column) column.messages += messages;
  }
  return { step, moments: columns };
};

/** As much as there is room for beside a bar. */
const longestLabel = 34;

const placeOf = ({ app, scope, room }: Row): string => {
  const place = [app, ...(scope === null ? [] : [scope]), room].map(String).join('/');
  return place.length > longestLabel ? `…${place.slice(1 - longestLabel)}` : place;
};

/** By file name: messages over time, the rooms with most messages, and how many webhook calls were delivered. */
export const chartsOf = ({ answers }: Report): Readonly<Record<string, string>> => {
  const rowsOf = (name: string): readonly Row[] =>
    answers.find(({ question }) => question.name === name)?.rows ?? [];
  const hours = rowsOf('hours').map((row) => ({
    time: (row['hour'] as Date).getTime(),
    messages: Number(row['messages']),
  }));
  const { step, moments } = timeline(hours);
  return {
    'messages.svg': columnChart({
      title: 'Messages over time',
      subtitle: step === 'hour' ? 'an hour, UTC' : 'a day, UTC',
      columns: moments.map(({ time, messages }) => ({
        label: formatTime(new Date(time)),
        value: messages,
      })),
      format: formatCount,
    }),
    'rooms.svg': barChart({
      title: 'Rooms with most messages',
      subtitle: 'messages',
      bars: rowsOf('rooms').map((row) => ({
        label: placeOf(row),
        value: Number(row['messages']),
        text: formatCount(Number(row['messages'])),
        isStrong: true,
      })),
    }),
    'webhooks.svg': barChart({
      title: 'Webhook calls that were delivered',
      subtitle: 'of a hundred, by app and kind',
      full: 100,
      bars: rowsOf('webhooks').map((row) => ({
        label: `${String(row['app_id']).slice(0, 13)}… ${String(row['kind'])}`,
        value: Number(row['success']),
        text: Number(row['success']).toFixed(1),
        isStrong: true,
      })),
    }),
  };
};

/** In a folder that is made where it is missing. */
export const writeCharts = async (folder: string, report: Report): Promise<void> => {
  await mkdir(folder, { recursive: true });
  for (const [name, chart] of Object.entries(chartsOf(report))) await writeFile(join(folder, name), chart);
};
