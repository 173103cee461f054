import { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { HostileSocket } from '../hostileSocket.js';
import { type Attack, repeatedly, sleep } from './attack.js';

/** MessagePack of a `publish` whose data is as many empty arrays as fit into a frame. */
const manyArrays = (bytes: number): Uint8Array => {
  const arrays = Buffer.alloc(bytes, 0x90);
  const head = Buffer.from([0xdd, 0, 0, 0, 0]);
  head.writeUInt32BE(bytes, 1);
  const { length } = encode({ type: 'publish' });
  // A map of two fields, of which the second one follows.
  const map = Buffer.from(encode({ type: 'publish', data: null }).subarray(0, length));
  return Buffer.concat([map, Buffer.from(encode('data')), head, arrays]);
};

const hugeFrame = manyArrays(1_000_000);
const smallFrame = manyArrays(10_000);

/** What those do who have no credential. Each attack comes from an address of its own. */
export const strangerAttacks: readonly Attack[] = [
  {
    name: 'huge frames before auth',
    met: 'close 1009',
    run: ({ tenant: { port }, count, signal }) =>
      repeatedly(15, signal, async () => {
        const socket = await HostileSocket.open({ port, from: '127.0.0.2', count });
        socket?.write(hugeFrame);
        await Promise.race([socket?.closed, sleep(1_000, signal)]);
        socket?.end();
      }),
  },
  {
    name: 'many frames before auth',
    met: 'close 1008 too_many_frames_before_auth',
    run: ({ tenant: { port }, count, signal }) =>
      repeatedly(5, signal, async () => {
        const socket = await HostileSocket.open({ port, from: '127.0.0.3', count });
        for (let frame = 0; frame < 30; frame += 1) socket?.write(smallFrame);
        await Promise.race([socket?.closed, sleep(1_000, signal)]);
        socket?.end();
      }),
  },
  {
    name: 'sockets of strangers',
    met: 'HTTP 429',
    async run({ tenant: { port }, count, signal }) {
      const open = new Set<HostileSocket>();
      await repeatedly(40, signal, async () => {
        const socket = await HostileSocket.open({ port, from: '127.0.0.4', count });
        if (socket === undefined) return;
        open.add(socket);
        void socket.closed.then(() => open.delete(socket));
      });
      for (const socket of open) socket.end();
    },
  },
  {
    name: 'messages begun before auth',
    async run({ tenant: { port }, count, signal }) {
      const open = new Set<HostileSocket>();
      await repeatedly(20, signal, async () => {
        if (open.size >= 400) return;
        const socket = await HostileSocket.open({ port, from: '127.0.0.5', count });
        if (socket === undefined) return;
        socket.begin(Buffer.alloc(16_384));
        open.add(socket);
        void socket.closed.then(() => open.delete(socket));
      });
      for (const socket of open) socket.end();
    },
  },
  {
    name: 'guessed tokens',
    met: 'auth access_denied',
    run: ({ tenant: { port }, count, signal }) =>
      repeatedly(10, signal, async (time) => {
        const socket = await HostileSocket.open({ port, from: '127.0.0.6', count });
        // Half of them are always the same.
        const guess = time % 2 === 0 ? 'always' : String(time);
        const token = `at_live_${guess}.${'x'.repeat(43)}`;
        for (let tries = 0; tries < 10; tries += 1) socket?.send({ type: 'auth', token });
        await Promise.race([socket?.closed, sleep(2_000, signal)]);
        socket?.end();
      }),
  },
];
