import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Figure, inAlternation, type Measurement, type Peer } from '../measure/comparison.js';
import { launchRoomwire, readCredentials, startRoomwire } from '../peers/roomwire.js';
import { launchPeer } from '../peers/startPeer.js';
import { type Child, whenReady, withStarted } from '../process/children.js';
import { freePort } from '@roomwire/testing/run/freePort';
import { processMegabytes } from '../measure/usage.js';
import { startStorage } from '../storage/startStorage.js';
import type { Ground, Scenario } from './scenario.js';

const events = 100_000;
const apps = 4;

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'ready', label: 'ready after', unit: 'milliseconds' },
  { name: 'memory', label: 'RSS then', unit: 'megabytes' },
];

export const startUp: Scenario = {
  name: 'start-up',
  summary: 'time until /readyz answers 200, with nothing and with 100,000 events in the log',

  async run(ground) {
    const { settings, folder, cores, say } = ground;
    const filled = await filledFolder(ground);
    const roomwire = (path: string) => (port: number) => launchRoomwire(path, cores.server, port);
    const peers: Peer<Measurement>[] = [
      {
        name: 'Roomwire, empty folder',
        measure: async () => timeStart(roomwire(await folder.inside('empty'))),
      },
      {
        name: `Roomwire, ${events} events, no snapshot`,
        async measure() {
          await removeSnapshot(filled);
          return timeStart(roomwire(filled));
        },
      },
      // The start before has left its snapshot when it was closed.
      { name: `Roomwire, ${events} events, snapshot`, measure: () => timeStart(roomwire(filled)) },
      {
        name: 'node:http and LMDB, empty folder',
        async measure() {
          const path = await folder.inside('plain');
          return timeStart((port) => launchPeer('plainHttp', cores.server, [path, String(port)]));
        },
      },
    ];
    say(`start-up: ${settings.runs} rounds of ${peers.length} starts`);
    const rows = await inAlternation(peers, settings.runs);
    return [{ title: 'Start-up', figures, rows, notes }];
  },
};

const notes = ['from the start of the process to the first 200 of /readyz, looked at every 5 ms'];

const timeStart = async (launch: (port: number) => Child): Promise<Measurement> => {
  const port = await freePort();
  const startedAt = performance.now();
  const child = launch(port);
  child.process.stdout?.resume();
  try {
    const ready = await whenReady(child, port, startedAt);
    return { ready, memory: processMegabytes(child.processId) };
  } finally {
    await child.stop();
  }
};

/** The files of a project with some apps and very many rooms. */
const filledFolder = async ({ folder, cores, say }: Ground): Promise<string> => {
  say(`start-up: filling a log with ${events} events`);
  const path = await folder.inside('filled');
  const roomwire = await startRoomwire(path, cores.server);
  await roomwire.stop();
  const { organizationId, projectId } = await readCredentials(path);
  await withStarted(async (started) => {
    const storage = started.add(await startStorage('eventLog', path));
    await storage.run({ kind: 'fill', owner: { organizationId, projectId }, apps, events });
    await storage.run({ kind: 'close' });
  });
  return path;
};

/** Without its files, the read models are built from the log again. */
const removeSnapshot = async (path: string): Promise<void> => {
  const files = (await readdir(path)).filter((name) => name.startsWith('views.lmdb'));
  if (files.length === 0) throw new Error(`There is no snapshot in ${path} to remove`);
  await Promise.all(files.map((name) => rm(join(path, name))));
};
