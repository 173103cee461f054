import { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { encode } from '@msgpack/msgpack';
import type { Connection } from '../generator/connection.js';
import { clientFrame } from '../generator/frames.js';
import { startGenerator } from '../generator/jobs.js';
import { inTurn } from '../generator/pace.js';
import { admitted } from '../generator/wires/roomwireWire.js';
import { type Figure, inAlternation } from '../measure/comparison.js';
import { roomwireApi, type RunningRoomwire, startRoomwire } from '../peers/roomwire.js';
import { withStarted } from '../process/children.js';
import { warmUpSeconds, type Scenario } from './scenario.js';

const present = 10_000;
const connectingAtOnce = 64;
const lookEveryMs = 100;

const ways = [
  { name: '100 on a page, 1 connection', limit: 100, connections: 1 },
  { name: '100 on a page, 32 connections', limit: 100, connections: 32 },
  { name: '1,000 on a page, 1 connection', limit: 1_000, connections: 1 },
];

export const presencePages: Scenario = {
  name: 'presence-pages',
  summary: 'who is present over REST, page by page, in a room of 10,000',

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder, settings, say } = ground;
      say('presence-pages: making the actors');
      const roomwire = started.add(await startRoomwire(await folder.inside('presence-pages'), cores.server));
      const crowd: Connection[] = [];
      started.add({ stop: async () => crowd.forEach((connection) => connection.end()) });
      const path = await gather(roomwire, crowd);
      const generator = started.add(startGenerator(cores.generator));
      const { port, processId: serverId } = roomwire;
      const { apiKey } = roomwire.credentials;
      const pages = new Map<number, readonly string[]>();
      for (const limit of [100, 1_000]) pages.set(limit, await pagesOf(port, apiKey, path, limit));
      const peers = ways.map(({ name, limit, connections }) => ({
        name,
        measure: (round: number) => {
          say(`presence-pages: round ${round + 1} of ${settings.runs}, ${name}`);
          return generator.run({
            kind: 'requests',
            ...{ port, serverId, apiKey, paths: pages.get(limit) ?? [], connections },
            ...{ warmUpSeconds, seconds: settings.seconds },
          });
        },
      }));
      const rows = await inAlternation(peers, settings.runs);
      return [{ title: `Pages of a room of ${present} over REST`, figures, rows, notes }];
    }),
};

/** All are in one room; resolves with the path of its presence. */
const gather = async (roomwire: RunningRoomwire, crowd: Connection[]): Promise<string> => {
  const api = roomwireApi(roomwire);
  const { appId, slug } = await api.createApp('load');
  await api.createRoom(appId, 'hall');
  const tokens = await api.createActors(present);
  const enter = clientFrame(
    Buffer.from(encode({ type: 'presence', roomId: `${slug}/hall`, data: { state: 'here', since: 'noon' } })),
  );
  await inTurn(present, connectingAtOnce, async (index) => {
    const connection = await admitted(roomwire.port, tokens[index] ?? '');
    crowd.push(connection);
    connection.write(enter);
  });
  const { port, credentials } = roomwire;
  const rooms = `/v1/apps/${appId}/rooms`;
  const [hall] = await read<readonly { readonly roomId: string }[]>(port, credentials.apiKey, rooms);
  const path = `${rooms}/${hall?.roomId}/presence`;
  while ((await pagesOf(port, credentials.apiKey, path, 1_000)).length < present / 1_000)
    await wait(lookEveryMs);
  return path;
};

const read = async <T>(port: number, apiKey: string, path: string): Promise<T> => {
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  if (!answer.ok) throw new Error(`${path} is answered ${answer.status}`);
  return (await answer.json()) as T;
};

interface Page {
  readonly next: string | null;
}

/** The paths of all pages. */
const pagesOf = async (
  port: number,
  apiKey: string,
  path: string,
  limit: number,
): Promise<readonly string[]> => {
  const paths: string[] = [];
  for (let next: string | null = ''; next !== null;) {
    const page: string = `${path}?limit=${limit}${next && `&cursor=${next}`}`;
    paths.push(page);
    ({ next } = await read<Page>(port, apiKey, page));
  }
  return paths;
};

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'requestsPerSecond', label: 'pages/s', unit: 'rate' },
  { name: 'cpuPerRequest', label: 'server us/page', unit: 'microseconds' },
  { name: 'kilobytes', label: 'body', unit: 'kilobytes' },
  { name: 'memory', label: 'RSS', unit: 'megabytes' },
];

const notes = ['all are connected, to the same process; every page of the room in turn'];
