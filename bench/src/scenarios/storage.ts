import { type Comparison, type Figure, inAlternation } from '../measure/comparison.js';
import { withStarted } from '../process/children.js';
import { startStorage } from '../storage/startStorage.js';
import { type Ground, type Scenario, warmUpSeconds } from './scenario.js';
import { someOwner } from '../storage/history.js';

const writerCounts = [64, 1];

const appendEngines = [
  { engine: 'eventLog', name: 'Roomwire event log' },
  { engine: 'lmdb', name: 'bare LMDB put and flush' },
] as const;

const appendFigures: readonly [Figure, ...Figure[]] = [
  { name: 'appendsPerSecond', label: 'appends/s', unit: 'rate' },
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'cpuPerAppend', label: 'us/append', unit: 'microseconds' },
];

export const appends: Scenario = {
  name: 'appends',
  summary: 'durable appends a second with 64 writers and with one',

  async run(ground) {
    const comparisons: Comparison[] = [];
    for (const writers of writerCounts) comparisons.push(await compare(ground, writers));
    return comparisons;
  },
};

const compare = ({ settings, folder, say }: Ground, writers: number): Promise<Comparison> =>
  withStarted(async (started) => {
    const peers = [];
    for (const { engine, name } of appendEngines) {
      const store = started.add(await startStorage(engine, await folder.inside(`appends-${engine}`)));
      peers.push({
        name,
        measure: (round: number) => {
          say(`appends, ${writers} writers: round ${round + 1} of ${settings.runs}, ${name}`);
          return store.run({ kind: 'append', writers, warmUpSeconds, seconds: settings.seconds });
        },
      });
    }
    const rows = await inAlternation(peers, settings.runs);
    return {
      title: `Durable appends, ${writers} ${writers === 1 ? 'writer' : 'writers'}`,
      figures: appendFigures,
      rows,
      notes: ['one event an append, each writer waits for the disk before its next one; not pinned'],
    };
  });

const events = 100_000;

const readEngines = [
  { engine: 'eventLog', name: 'Roomwire event log, readAll' },
  { engine: 'lmdb', name: 'bare LMDB range and JSON.parse' },
] as const;

const readFigures: readonly [Figure, ...Figure[]] = [
  { name: 'eventsPerSecond', label: 'events/s', unit: 'rate' },
  { name: 'cpuPerEvent', label: 'us/event', unit: 'microseconds' },
];

export const reads: Scenario = {
  name: 'reads',
  summary: 'events a second read and decoded from a log of 100,000',

  run: ({ settings, folder, say }) =>
    withStarted(async (started) => {
      const peers = [];
      for (const { engine, name } of readEngines) {
        say(`reads: filling, ${name}`);
        const store = started.add(await startStorage(engine, await folder.inside(`reads-${engine}`)));
        await store.run({ kind: 'fill', owner: someOwner(), apps: 4, events });
        peers.push({
          name,
          measure: (round: number) => {
            say(`reads: round ${round + 1} of ${settings.runs}, ${name}`);
            return store.run({ kind: 'readAll', warmUpSeconds, seconds: settings.seconds });
          },
        });
      }
      const rows = await inAlternation(peers, settings.runs);
      const notes = [`${events} RoomCreated events, read again and again in whole passes; not pinned`];
      return [{ title: 'Reading the whole log', figures: readFigures, rows, notes }];
    }),
};
