import { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { HostileSocket } from '../hostileSocket.js';
import { type Attack, keepSockets, repeatedly, sleep } from './attack.js';

const text = (bytes: number): string => 'x'.repeat(bytes);

/** Frames by what they are made of: each is encoded once, so that attacks cost those who make them little. */
const framesOf = <K extends readonly unknown[]>(
  frameOf: (...key: K) => Readonly<Record<string, unknown>>,
): ((...key: K) => Uint8Array) => {
  const frames = new Map<string, Uint8Array>();
  return (...key) => {
    const id = key.join(' ');
    const frame = frames.get(id) ?? encode(frameOf(...key));
    frames.set(id, frame);
    return frame;
  };
};

const lastValue = framesOf((topic: string) => ({
  ...{ type: 'publish', topic, retain: true },
  data: text(100_000),
}));

const work = framesOf((topic: string) => ({ type: 'publish', topic, data: text(50_000) }));

const filtered = framesOf((topic: string, index: number, time: number) => ({
  ...{ type: 'subscribe', topic },
  filters: Array.from({ length: 100 }, (_, filter) =>
    [...'0123456789'].map((value) => `${index}.${time}.${filter}.${value}.${text(20)}`),
  ),
}));

const presence = framesOf((roomId: string) => ({ type: 'presence', roomId, data: { text: text(16_000) } }));

/** In many rooms at once, and in and out of a room that many count. */
const several = framesOf((roomId: string, how: 'keep' | 'leave' | 'count') => ({
  ...{ type: 'presence', roomId, data: { text: text(1_000) } },
  ...(how === 'count' ? { mode: how } : { [how]: true }),
}));

const manyArrays = framesOf((topic: string) => ({
  ...{ type: 'publish', topic },
  data: Array.from({ length: 400_000 }, () => []),
}));

/** Of each connection, with different rooms: more than its budget of memory, so that all of it is used. */
const distinctFilters = 200;

/** What actors do over their sockets. */
export const socketAttacks: readonly Attack[] = [
  {
    name: 'lobbies of a private app',
    met: 'error not_authorized',
    run: (context) =>
      keepSockets(context, '127.0.0.10', context.tenant.users.slice(0, 4), (socket) =>
        repeatedly(0.5, context.signal, () => {
          for (let frame = 0; frame < 100; frame += 1)
            socket.send({
              type: frame % 2 === 0 ? 'lobbySubscribe' : 'getLobbyPresence',
              lobbyId: context.tenant.privateApp,
            });
        }),
      ),
  },
  {
    name: 'messages begun by actors',
    met: 'close 1008 message_timeout',
    run: (context) =>
      keepSockets(context, '127.0.0.11', context.tenant.users.slice(10, 74), async (socket, index) => {
        await sleep(1_000 + index * 200, context.signal);
        socket.begin(Buffer.alloc(900_000));
        await Promise.race([socket.closed, sleep(60_000, context.signal)]);
      }),
  },
  {
    name: 'large last values',
    run: (context) =>
      keepSockets(context, '127.0.0.12', context.tenant.users.slice(80, 82), (socket, index) =>
        repeatedly(5, context.signal, (time) => {
          const room = context.tenant.rooms[(time * 2 + index) % context.tenant.rooms.length];
          socket.write(lastValue(`${context.tenant.openApp}/${room}/flood`));
        }),
      ),
  },
  {
    name: 'work that is not acknowledged',
    run: async (context) => {
      const { tenant, signal } = context;
      const topic = (index: number) => `${tenant.openApp}/${tenant.rooms[index]}/flood`;
      const members = keepSockets(
        context,
        '127.0.0.13',
        tenant.users.slice(90, 98),
        async (socket, index) => {
          const loadBalanceGroup = `never-${index}`;
          socket.send({ type: 'subscribe', topic: topic(index), loadBalance: true, loadBalanceGroup });
          await Promise.race([socket.closed, repeatedly(0.05, signal, () => socket.write(new Uint8Array()))]);
        },
      );
      const publishers = keepSockets(context, '127.0.0.13', tenant.users.slice(98, 100), (socket, index) =>
        repeatedly(5, signal, (time) => socket.write(work(topic((time * 2 + index) % 8)))),
      );
      await Promise.all([members, publishers]);
    },
  },
  {
    name: 'filters',
    run: (context) =>
      keepSockets(context, '127.0.0.14', context.tenant.users.slice(100, 104), (socket, index) =>
        repeatedly(5, context.signal, (time) => {
          const room = context.tenant.rooms[time % context.tenant.rooms.length];
          socket.write(filtered(`${context.tenant.openApp}/${room}/flood`, index, time % distinctFilters));
        }),
      ),
  },
  {
    name: 'presences',
    run: (context) =>
      keepSockets(context, '127.0.0.15', context.tenant.users.slice(110, 130), (socket) =>
        repeatedly(1, context.signal, (time) => {
          const roomId = `${context.tenant.openApp}/${context.tenant.rooms[time % context.tenant.rooms.length]}`;
          socket.write(presence(roomId));
        }),
      ),
  },
  {
    name: 'rooms and counts',
    run: (context) =>
      keepSockets(context, '127.0.0.28', context.tenant.users.slice(110, 130), (socket, index) =>
        repeatedly(10, context.signal, (time) => {
          const { openApp, rooms } = context.tenant;
          const roomOf = (n: number) => `${openApp}/${rooms[n % rooms.length]}`;
          socket.write(several(roomOf(time + index), 'keep'));
          socket.write(several(roomOf(time), 'count'));
          if (time % 2 === 0) socket.write(several(roomOf(time + index), 'leave'));
        }),
      ),
  },
  {
    name: 'persistent sessions',
    run: ({ tenant, count, signal }) =>
      repeatedly(4, signal, async (time) => {
        const token = tenant.agents[time % tenant.agents.length] ?? '';
        const fields = { reconnect: true, clientId: `instance ${time}` };
        const socket = await HostileSocket.enter(
          { port: tenant.port, from: '127.0.0.16', count },
          token,
          fields,
        );
        for (const room of tenant.rooms.slice(0, 50))
          socket?.send({ type: 'subscribe', topic: `${tenant.openApp}/${room}/flood` });
        await sleep(200, signal);
        socket?.end();
      }),
  },
  {
    name: 'readers that do not read',
    run: (context) =>
      keepSockets(context, '127.0.0.17', context.tenant.users.slice(140, 156), async (socket, index) => {
        const topic = `${context.tenant.openApp}/${context.tenant.rooms[index % 8]}/flood`;
        socket.send({ type: 'subscribe', topic });
        await sleep(500, context.signal);
        socket.stopReading();
        // The service may close it; a socket that is not read does not notice.
        await sleep(20_000, context.signal);
      }),
  },
  {
    name: 'frames that are costly to decode',
    run: (context) =>
      keepSockets(context, '127.0.0.18', context.tenant.users.slice(160, 162), (socket) =>
        repeatedly(1, context.signal, () => {
          socket.write(manyArrays(`${context.tenant.openApp}/room-9/flood`));
        }),
      ),
  },
];
