import { setTimeout as pause } from 'node:timers/promises';
import { openCrowd, prepareCrowd } from '../clients/crowd.js';
import { Outage } from '../clients/outage.js';
import type { Figure, Measurement } from '../measure/comparison.js';
import { startRoomwire } from '../peers/roomwire.js';
import { withStarted } from '../process/children.js';
import type { Ground, Scenario } from './scenario.js';

const count = 2_000;
const outageMs = 3_000;
/** A connection counts as well after 10 s. */
const wellMs = 10_500;

export const clientRestart: Scenario = {
  name: 'restart',
  summary:
    '2000 TypeScript clients after a restart of the server of 3 s: how many are back within 1 s and 3 s',

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder, settings } = ground;
      const roomwire = started.add(await startRoomwire(await folder.inside('restart'), cores.server));
      const { actors } = await prepareCrowd(roomwire, count);
      const tokenOf = (index: number): string => actors[index % actors.length]?.accessToken ?? '';
      const rounds: Measurement[] = [];
      while (rounds.length < settings.runs) rounds.push(await measure(ground, roomwire.port, tokenOf));
      const title = `Restart of ${outageMs / 1_000} s, ${count} clients`;
      return [{ title, figures, rows: [{ peer: 'Roomwire, TypeScript client', rounds }], notes }];
    }),
};

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'median', label: 'the middle one is back after', unit: 'milliseconds' },
  { name: 'last', label: 'the last one after', unit: 'milliseconds' },
  { name: 'withinOne', label: 'back within 1 s', unit: 'count' },
  { name: 'withinThree', label: 'within 3 s', unit: 'count' },
];

const notes = [
  `connected for more than 10 s; then every connection is reset and new ones are refused for ${outageMs / 1_000} s; counted from the end of that`,
  'the server itself runs on behind it, so that its start, which the machine decides, is not in it; all clients are one process',
];

const measure = async (
  { say }: Ground,
  port: number,
  tokenOf: (index: number) => string,
): Promise<Measurement> => {
  const way = new Outage(port);
  await way.end();
  say(`restart: ${count} clients connect`);
  const url = `ws://127.0.0.1:${way.port}/ws`;
  const clients = await openCrowd(count, 0, (index) => ({ url, token: tokenOf(index) }));
  await pause(wellMs);
  const back: number[] = [];
  let endedAt = Infinity;
  for (const client of clients)
    client.on('state', ({ name }) => void (name === 'connected' && back.push(performance.now() - endedAt)));
  say('restart: out of reach');
  await way.begin();
  await pause(outageMs);
  await way.end();
  endedAt = performance.now();
  await Promise.all(clients.map((client) => client.ready()));
  await Promise.all(clients.map((client) => client.close()));
  await way.begin();
  back.sort((one, other) => one - other);
  return {
    withinOne: back.filter((ms) => ms <= 1_000).length,
    withinThree: back.filter((ms) => ms <= 3_000).length,
    median: back[count / 2] ?? Number.NaN,
    last: back.at(-1) ?? Number.NaN,
  };
};
