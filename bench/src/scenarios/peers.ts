import type { Login } from '../generator/jobs.js';
import { startNats } from '../peers/startNats.js';
import { startPeer, type PeerProgram } from '../peers/startPeer.js';
import type { Started } from '../process/started.js';
import type { Ground } from './scenario.js';

/** A program under the same load as the others. */
export interface Server {
  readonly name: string;
  readonly port: number;
  readonly processId: number;
  readonly login: Login;
}

interface PeerKind {
  readonly name: string;
  readonly login: Login;
  readonly program: PeerProgram | 'nats';
}

const relay: Login = { protocol: 'relay' };

export const peers = {
  sendEach: { name: 'ws, ws.send of each message', login: relay, program: 'sendEachRelay' },
  writePerTick: { name: 'ws, one write a socket and tick', login: relay, program: 'writePerTickRelay' },
  rooms: { name: 'ws, rooms and ws.send', login: relay, program: 'roomRelay' },
  socketIo: { name: 'Socket.IO 4', login: { protocol: 'socketIo' }, program: 'socketIo' },
  nats: { name: 'NATS 2, WebSocket', login: { protocol: 'nats' }, program: 'nats' },
} satisfies Record<string, PeerKind>;

/** Nothing where the peer cannot run on this machine, which has been said. */
export const startServers = async (
  { cores, say }: Ground,
  started: Started,
  kinds: readonly PeerKind[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Server[]> => {
  const servers: Server[] = [];
  for (const { name, login, program } of kinds) {
    const running = await (program === 'nats'
      ? startNats(cores.server, say)
      : startPeer(program, cores.server, { env }));
    if (running) servers.push({ ...started.add(running), name, login });
  }
  return servers;
};
