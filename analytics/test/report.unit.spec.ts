import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { analyticsStreams } from '../src/analytics.js';
import type { Fact } from '../src/facts/factStream.js';
import { ask, type Report, type Span } from '../src/report/report.js';
import { chartsOf, timeline } from '../src/report/charts.js';
import { formatBytes, formatReport, reportAsJson } from '../src/report/formatReport.js';
import { questionBy, standardQuestions, type Question } from '../src/report/questions.js';
import { openDuckDb, type DuckDb } from '../src/store/duckDb.js';
import { FactFiles } from '../src/store/factFiles.js';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 31, 22, 30);

interface Published {
  readonly time: number;
  readonly project: string;
  readonly app: string;
  readonly scope: string | null;
  readonly room: string;
  readonly topic: string;
  readonly publisher: string;
  readonly bytes: number;
}

const chance = seededChance(11);
const published: readonly Published[] = Array.from({ length: 3_000 }, () => ({
  time: start + chance.below(5 * hourMs),
  project: chance.oneOf(['p1', 'p2']),
  app: chance.oneOf(['shop', "it's"]),
  scope: chance.oneOf([null, 'acme']),
  room: chance.oneOf(['lobby', 'hall', 'attic']),
  topic: chance.oneOf(['chat', 'news']),
  publisher: `a${chance.below(40)}`,
  bytes: chance.below(1_000),
}));

const messageFact = (
  { time, project, app, scope, room, topic, publisher, bytes }: Published,
  n: number,
): Fact => [...[time, `id${n}`, project, app, scope, room, topic, publisher, 1, false, bytes, null]];

interface Attempt {
  readonly call: string;
  readonly outcome: string;
}

/** Five calls: one delivered at once, one at the second attempt, one twice, one never, one refused. */
const attempts: readonly Attempt[] = [
  { call: 'w1', outcome: '2xx' },
  { call: 'w2', outcome: '5xx' },
  { call: 'w2', outcome: '2xx' },
  { call: 'w3', outcome: '2xx' },
  { call: 'w3', outcome: '2xx' },
  { call: 'w4', outcome: 'timeout' },
  { call: 'w4', outcome: '5xx' },
  { call: 'w4', outcome: '5xx' },
  { call: 'w5', outcome: '4xx' },
];

const outcomeFact = ({ call, outcome }: Attempt, n: number): Fact => [
  ...[
    start + n,
    'o1',
    'p1',
    'app-1',
    'trigger',
    call,
    'https://x.test',
    1,
    outcome,
    'done',
    200,
    10 * (n + 1),
    50,
  ],
];

/** Worked out again, without SQL. */
const expected = (messages: readonly Published[], keyOf: (message: Published) => string) => {
  const groups = new Map<string, { messages: number; bytes: number; actors: Set<string> }>();
  for (const message of messages) {
    const group = groups.get(keyOf(message)) ?? { messages: 0, bytes: 0, actors: new Set() };
    group.messages += 1;
    group.bytes += message.bytes;
    group.actors.add(message.publisher);
    groups.set(keyOf(message), group);
  }
  return new Map([...groups].map(([key, group]) => [key, { ...group, actors: group.actors.size }]));
};

describe('A report', () => {
  let folder: TemporaryFolder;
  let duckDb: DuckDb;
  const streams = () => analyticsStreams(folder.path, false);

  before(async () => {
    folder = await temporaryFolder();
    duckDb = await openDuckDb({ memoryMb: 256, spillFolder: join(folder.path, 'spill') });
    for (const { stream, folder: files } of streams()) {
      await files.open();
      const facts = stream.name === 'messages' ? published.map(messageFact) : attempts.map(outcomeFact);
      const middle = Math.floor(facts.length / 2);
      const writer = new FactFiles(duckDb, files, stream);
      for (const [first, end] of [
        [0, middle],
        // Overlaps with the one before.
        [middle - 2, facts.length],
      ] as const)
        await writer.write({
          ...{ partition: 0, first, last: end - 1, revision: 0 },
          offsets: Array.from({ length: end - first }, (_, n) => first + n),
          facts: facts.slice(first, end),
        });
    }
  });
  after(async () => {
    duckDb.close();
    await folder.remove();
  });

  const asked = (questions: readonly Question[], span: Span = {}): Promise<Report> =>
    ask(duckDb, streams(), questions, span);
  const rowsOf = (report: Report, name: string): readonly any[] =>
    report.answers.find(({ question }) => question.name === name)?.rows ?? [];

  it('counts published messages by app, scope, room, topic and hour', async () => {
    const report = await asked([questionBy(['topic', 'hour'])]);
    const found = new Map(
      rowsOf(report, 'by').map(({ project_id, app, scope, room, topic, hour, messages, bytes, actors }) => [
        [project_id, app, scope, room, topic, (hour as Date).getTime()].join(),
        { messages, bytes, actors },
      ]),
    );
    const keyOf = ({ project, app, scope, room, topic, time }: Published): string =>
      [project, app, scope, room, topic, Math.floor(time / hourMs) * hourMs].join();
    expect(found).to.eql(expected(published, keyOf));
    const times = rowsOf(report, 'by').map(({ hour }) => (hour as Date).getTime());
    expect(times).to.eql([...times].sort());
  });

  it('covers the requested project, app and period', async () => {
    const span = { project: 'p2', app: "it's", from: start + hourMs, to: start + 2 * hourMs };
    const wanted = published.filter(
      ({ project, app, time }) => project === 'p2' && app === "it's" && time >= span.from && time < span.to,
    );
    const [totals] = rowsOf(await asked(standardQuestions(10), span), 'totals');
    const { messages, bytes, actors } = expected(wanted, () => '').get('') ?? {};
    expect(totals).to.include({ messages, bytes, actors, apps: 1, rooms: 6 });
    expect((totals.oldest as Date).getTime()).to.equal(Math.min(...wanted.map(({ time }) => time)));
    expect((totals.newest as Date).getTime()).to.equal(Math.max(...wanted.map(({ time }) => time)));
  });

  it('lists the rooms with most messages first', async () => {
    const rooms = rowsOf(await asked(standardQuestions(5)), 'rooms');
    const all = expected(published, ({ project, app, scope, room }) => [project, app, scope, room].join());
    const most = [...all.values()].map(({ messages }) => messages).sort((a, b) => b - a);
    expect(rooms.map(({ messages }) => messages)).to.eql(most.slice(0, 5));
  });

  it('counts delivered webhook calls, whatever the number of attempts', async () => {
    const [calls, ...more] = rowsOf(await asked(standardQuestions(10)), 'webhooks');
    expect(more).to.eql([]);
    expect(calls).to.deep.include({
      app_id: 'app-1',
      kind: 'trigger',
      calls: 5,
      delivered: 3,
      success: 60,
      attempts: 9,
    });
    expect(calls.p50).to.equal(50);
  });

  it('is empty without messages', async () => {
    const report = await asked(standardQuestions(10), { project: 'p3' });
    expect(rowsOf(report, 'totals')[0]).to.include({ messages: 0, bytes: 0, actors: 0, oldest: null });
    expect(formatReport(report)).to.match(/\| +0 \| +0 B \| +0 \| +0 \| +0 \| - +\| - +\||None\./);
    expect(Object.values(chartsOf(report)).join()).not.to.include('NaN');
    const nowhere = analyticsStreams(join(folder.path, 'nowhere'), false);
    const empty = await ask(duckDb, nowhere, standardQuestions(10), {});
    expect(rowsOf(empty, 'totals')[0]).to.include({ messages: 0 });
  });

  it('omits a single project, and separates thousands', async () => {
    const report = await asked([questionBy(['app'])], { project: 'p1' });
    const text = formatReport(report);
    expect(text).to.match(/^By app\n\n\| app +\| +messages \| +bytes \| active actors \|\n/);
    expect(text).not.to.include('p1');
    expect(formatReport(await asked([questionBy(['app'])]))).to.include('| p1 ');
    expect([0, 999, 1_000, 12_345, 1_234_567].map(formatBytes)).to.eql([
      '0 B',
      '999 B',
      '1.00 kB',
      '12.3 kB',
      '1.23 MB',
    ]);
  });

  it('names missing records', async () => {
    const report = { ...(await asked([])), missing: { messages: 1_234, 'webhook-outcomes': 0 } };
    expect(formatReport(report)).to.match(/^Up to 1,234 records of messages are not in these figures/);
    expect(JSON.parse(reportAsJson(report))).to.eql({ missing: report.missing });
  });

  it('draws a valid chart for each question', async () => {
    const charts = chartsOf(await asked(standardQuestions(5)));
    expect(Object.keys(charts)).to.eql(['messages.svg', 'rooms.svg', 'webhooks.svg']);
    for (const svg of Object.values(charts))
      expect(svg)
        .to.match(/^<svg [^]*<\/svg>\n$/)
        .and.not.include('NaN');
    expect(charts['webhooks.svg']).to.include('width="228"').and.include('>60.0</text>');
  });
});

describe('A timeline', () => {
  it('has one column per hour, also without a message, and per day for long periods', () => {
    const hours = [
      { time: 10 * hourMs, messages: 3 },
      { time: 13 * hourMs, messages: 4 },
    ];
    expect(timeline(hours).moments.map(({ messages }) => messages)).to.eql([3, 0, 0, 4]);
    expect(timeline([]).moments).to.eql([]);
    const { step, moments: days } = timeline([...hours, { time: 1_000 * hourMs, messages: 5 }]);
    expect(step).to.equal('day');
    expect(days).to.have.lengthOf(42);
    expect([days[0]?.messages, days.at(-1)?.messages]).to.eql([7, 5]);
  });
});
