import type { Comparison, Figure } from '../measure/comparison.js';
import { inAlternation } from '../measure/rounds.js';
import { withStarted } from '../process/started.js';
import { startStorage } from '../storage/startStorage.js';
import { warmUpSeconds, type Ground, type Scenario } from './scenario.js';

const writerCounts = [64, 1];

const engines = [
  { engine: 'eventLog', name: 'Roomwire event log' },
  { engine: 'lmdb', name: 'bare LMDB put and flush' },
] as const;

const figures: readonly [Figure, ...Figure[]] = [
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
    for (const { engine, name } of engines) {
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
      figures,
      rows,
      notes: ['one event an append, each writer waits for the disk before its next one; not pinned'],
    };
  });
