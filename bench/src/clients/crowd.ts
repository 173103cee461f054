import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Client, type ClientOptions } from '@roomwire/sdk';
import { restSender, roomwireApi, type RunningRoomwire } from '../peers/roomwire.js';

/** An actor may have 1,000 connections. */
const clientsOfActor = 500;

export interface Hall {
  readonly topic: string;
  readonly signingKey: string;
  /** For each client in turn. */
  readonly actors: readonly { readonly keyId: string; readonly accessToken: string }[];
}

/** A room for so many clients, their actors, and a key to sign tokens for them. */
export const prepareCrowd = async (roomwire: RunningRoomwire, clients: number): Promise<Hall> => {
  const send = restSender(roomwire.port, roomwire.credentials.apiKey);
  const api = roomwireApi(roomwire);
  const { appId, slug } = await api.createApp('chat');
  await api.createRoom(appId, 'hall');
  const { signingKey } = await send<{ signingKey: string }>('POST', '/signing-keys', { name: 'Load' });
  const actors: Hall['actors'][number][] = [];
  while (actors.length * clientsOfActor < clients)
    actors.push(await send('POST', '/actors', { name: 'Actor', actorType: 'device' }));
  return { topic: `${slug}/hall/chat`, signingKey, actors };
};

/** Opens clients evenly over a time, or one directly after the other where it is zero; resolves when all are connected. */
export const openCrowd = async (
  count: number,
  overMs: number,
  optionsOf: (index: number) => ClientOptions,
): Promise<readonly Client[]> => {
  const clients: Client[] = [];
  const beganAt = performance.now();
  while (clients.length < count) {
    const due = overMs === 0 ? count : Math.ceil(((performance.now() - beganAt) / overMs) * count);
    // Some at a time: the server has a bound on those that are not authenticated yet.
    const some = Array.from({ length: Math.min(due - clients.length, count - clients.length, 64) }, (_, n) =>
      connect(optionsOf(clients.length + n)),
    );
    clients.push(...some);
    if (overMs === 0) await Promise.all(some.map((client) => client.ready()));
    else await pause(5);
  }
  await Promise.all(clients.map((client) => client.ready()));
  return clients;
};
