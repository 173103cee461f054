import type { Figure } from '../measure/comparison.js';
import { inAlternation } from '../measure/rounds.js';
import { withStarted } from '../process/started.js';
import { someOwner } from '../storage/history.js';
import { startStorage } from '../storage/startStorage.js';
import { warmUpSeconds, type Scenario } from './scenario.js';

const events = 100_000;

const engines = [
  { engine: 'eventLog', name: 'Roomwire event log, readAll' },
  { engine: 'lmdb', name: 'bare LMDB range and JSON.parse' },
] as const;

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'eventsPerSecond', label: 'events/s', unit: 'rate' },
  { name: 'cpuPerEvent', label: 'us/event', unit: 'microseconds' },
];

export const reads: Scenario = {
  name: 'reads',
  summary: 'events a second read and decoded from a log of 100,000',

  run: ({ settings, folder, say }) =>
    withStarted(async (started) => {
      const peers = [];
      for (const { engine, name } of engines) {
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
      return [{ title: 'Reading the whole log', figures, rows, notes }];
    }),
};
