import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '@roomwire/sdk';
import { clientTokenOf } from '@roomwire/testing/clients/clientTokens';
import { openCrowd, prepareCrowd, type Hall } from '../clients/crowd.js';
import type { Figure, Measurement } from '../measure/comparison.js';
import { startRoomwire } from '../peers/roomwire.js';
import { withStarted } from '../process/children.js';
import type { Ground, Scenario } from './scenario.js';

const count = 2_000;
/** Five times as fast as tokens of 120 s, which are looked at in windows of 10 s. */
const faster = 5;
const lifeMs = 120_000 / faster;
const windowMs = 10_000 / faster;
const lives = 3;

export const clientTokens: Scenario = {
  name: 'tokens',
  summary: '2000 TypeScript clients whose tokens expire: token requests at a time, closes, lost messages',

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder } = ground;
      const roomwire = started.add(await startRoomwire(await folder.inside('tokens'), cores.server));
      const hall = await prepareCrowd(roomwire, count);
      const url = `ws://127.0.0.1:${roomwire.port}/ws`;
      const rows = [
        { peer: 'connected evenly over a life', rounds: [await measure(ground, url, hall, lifeMs)] },
        { peer: 'connected at once', rounds: [await measure(ground, url, hall, 0)] },
      ];
      const title = `Tokens that expire, ${count} clients`;
      return [{ title, figures, rows, notes }];
    }),
};

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'worstShare', label: 'most in a window / mean', unit: 'share' },
  { name: 'mean', label: 'token requests a window', unit: 'count' },
  { name: 'closed', label: 'connections lost', unit: 'count' },
  { name: 'lost', label: 'lost messages', unit: 'count' },
];

const notes = [
  `tokens of ${lifeMs / 1_000} s in windows of ${windowMs / 1_000} s stand for tokens of 120 s in windows of 10 s; ${lives} lives after all are connected`,
  'a message a second to every client; all clients are one process',
];

const measure = async ({ say }: Ground, url: string, hall: Hall, overMs: number): Promise<Measurement> => {
  say(`tokens: ${count} clients connect${overMs === 0 ? '' : ' evenly'}`);
  const requests: number[] = [];
  const tokenFor = (index: number) => (): string => {
    requests.push(performance.now());
    const { keyId: sub = '' } = hall.actors[index % hall.actors.length] ?? {};
    const exp = Math.floor((Date.now() + lifeMs) / 1_000);
    return clientTokenOf(hall.signingKey, { sub, exp, n: requests.length });
  };
  const clients = await openCrowd(count, overMs, (index) => ({ url, token: tokenFor(index) }));
  const publisher = connect({ url, token: hall.actors[0]?.accessToken ?? '' });
  let [received, published] = [0, 0];
  const closes: string[] = [];
  await Promise.all(
    clients.map((client) => client.subscribe(hall.topic, () => void (received += 1), { own: true })),
  );
  for (const client of clients)
    client.on('state', (state) => void (state.name === 'waiting' && closes.push(state.reason.message)));
  await publisher.ready();
  say(`tokens: ${(lives * lifeMs) / 1_000} s of renewals`);
  const beganAt = performance.now();
  while (performance.now() - beganAt < lives * lifeMs) {
    await publisher.publish(hall.topic, (published += 1));
    await pause(1_000);
  }
  const windows = countsByWindow(requests.filter((at) => at >= beganAt).map((at) => at - beganAt));
  const lost = published * count - received;
  await Promise.all([publisher, ...clients].map((client) => client.close()));
  const mean = windows.reduce((sum, many) => sum + many, 0) / windows.length;
  for (const why of new Set(closes))
    say(`tokens: ${closes.filter((one) => one === why).length} times ${why}`);
  return { worstShare: Math.max(...windows) / mean, mean, closed: closes.length, lost };
};

/** How many there were in each window; every window of the time counts, one without any too. */
const countsByWindow = (times: readonly number[]): readonly number[] => {
  const counts = new Array<number>(Math.floor((lives * lifeMs) / windowMs)).fill(0);
  for (const time of times) {
    const window = Math.floor(time / windowMs);
    if (counts[window] !== undefined) counts[window] += 1;
  }
  return counts;
};
