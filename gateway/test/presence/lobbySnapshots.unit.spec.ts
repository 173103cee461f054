import { expect } from 'chai';
import { decode } from '@msgpack/msgpack';
import type { Buffer } from 'node:buffer';
import { internalRoom } from '@roomwire/shared/domain/topic';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { PresenceEntry } from '@roomwire/shared/wire/protocol/presenceFrames';
import * as records from '@roomwire/testing/builders/records';
import { Directory } from '../../src/access/directory.js';
import { Lobbies, type LobbyClient } from '../../src/presence/lobbies.js';
import { Estate } from '../support/estate.js';
import { openEmbeddedPorts, type Ports } from '../support/ports.js';

const presenceOf = (bytes: number): Uint8Array => {
  const data = new Uint8Array(bytes + 5).fill(0x61);
  // A map of one field, with a string of 16-bit length.
  data.set([0x81, 0xa0, 0xda, bytes >> 8, bytes & 0xff]);
  return data;
};

/** Counts the rounds of the event loop until it is asked for their number. */
const countRounds = (): (() => number) => {
  let rounds = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    rounds++;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  return () => {
    clearImmediate(next);
    return rounds;
  };
};

describe('the snapshot of a lobby', () => {
  let ports: Ports;
  let estate: Estate;
  let present: Map<string, readonly PresenceEntry[]>;
  let lobbies: Lobbies;
  let charged: number;
  let frames: Buffer[];
  let client: LobbyClient;

  const entries = (count: number, bytes = 1): readonly PresenceEntry[] =>
    Array.from({ length: count }, (_, n) => ({
      actorTokenId: `actor-${n}`,
      presence: presenceOf(bytes),
      joinedAt: 1,
    }));

  const roomOf = (slug: string) => internalRoom(estate.projectId, null, 'plaza', slug);

  /** Rooms of the app `plaza` that exist, with these entries in each. */
  const rooms = async (count: number, inEach: readonly PresenceEntry[]): Promise<void> => {
    const app = await estate.app('plaza', { config: { lobbies: [{ slug: 'first', rooms: ['room-0'] }] } });
    const docs = Array.from({ length: count }, (_, n) => records.room(app, `room-${n}`));
    await estate.put(...docs.map((doc) => ({ put: 'rooms', id: doc.roomId, doc }) as const));
    for (const { slug } of docs) present.set(roomOf(slug), inEach);
  };

  /** What is shown, by room and actor, or the error. */
  const answer = async (lobbyId: string): Promise<ProtocolErrorName | Record<string, object>> => {
    const error = await lobbies.list(client, lobbyId);
    const frame = frames.pop();
    if (frame === undefined) return error as ProtocolErrorName;
    const lengthCode = (frame[1] as number) & 0x7f;
    const headSize = lengthCode === 127 ? 10 : lengthCode === 126 ? 4 : 2;
    const fields = decode(frame.subarray(headSize)) as { presence: Record<string, object> };
    return fields.presence;
  };

  beforeEach(async () => {
    ports = await openEmbeddedPorts();
    estate = new Estate(ports.views);
    present = new Map();
    frames = [];
    charged = 0;
    const { views } = ports;
    const deps = {
      views,
      directory: new Directory(views),
      clock: systemClock,
      limits: { reached: () => {} },
    };
    lobbies = new Lobbies(deps, {
      ready: Promise.resolve(),
      roomsIn: () => [...present.keys()],
      entries: (room) => present.get(room) ?? [],
    });
    client = {
      identity: {
        ...{ actorTokenId: 'ann', actorType: 'user', projectId: estate.projectId, version: 2 },
        ...{ organizationId: estate.organizationId, scope: null, accessScope: null, capabilities: undefined },
      },
      outbox: {
        push: (frame) => void frames.push(frame),
        pushLater: (frame) => void frames.push(frame),
        ...{ waitingBytes: 0, isOpen: true },
      },
      connection: 'gateway.1',
      isOver: false,
      send: () => {},
      sendError: () => {},
      close: () => {},
      subscribedApps: () => [],
      charge: (requests) => void (charged += requests),
    };
  });

  afterEach(() => ports.close());

  it('[WS-LOBBY-7] of thousands of rooms lets the event loop run, and counts as many requests', async () => {
    await rooms(2_000, entries(1));
    const rounds = countRounds();
    const presence = await answer('plaza');
    expect(Object.keys(presence)).to.have.length(2_000);
    expect(rounds()).to.be.above(10);
    expect(charged).to.equal(202);
  });

  it('[WS-LOBBY-7] of one crowded room lets the event loop run', async () => {
    await rooms(1, entries(40_000));
    const rounds = countRounds();
    const presence = (await answer('plaza/first')) as Record<string, object>;
    expect(Object.keys(presence['room-0'] ?? {})).to.have.length(40_000);
    expect(rounds()).to.be.above(3);
  });

  it('[WS-LOBBY-7] of more than 10,000 rooms with someone present is refused, one of a part of them is not', async () => {
    await rooms(1, entries(1));
    for (let n = 1; n <= 10_000; n++) present.set(roomOf(`room-${n}`), entries(1));
    expect(await answer('plaza')).to.equal('lobbyTooLarge');
    expect(await answer('first')).to.have.all.keys('room-0');
    present.delete(roomOf('room-10000'));
    expect(await answer('plaza')).to.have.all.keys('room-0');
  });

  it('[WS-LOBBY-7] of more than 8 MiB is refused', async () => {
    await rooms(2, entries(250, 16_000));
    expect(await answer('first')).to.have.all.keys('room-0');
    present.set(roomOf('room-1'), entries(300, 16_000));
    expect(await answer('plaza')).to.equal('lobbyTooLarge');
  });

  it('[WS-LOBBY-7] that is refused leaves no subscription behind', async () => {
    await rooms(1, entries(1));
    for (let n = 1; n <= 10_000; n++) present.set(roomOf(`room-${n}`), entries(1));
    expect(await lobbies.subscribe(client, 'plaza')).to.equal('lobbyTooLarge');
    lobbies.notify({ room: roomOf('room-0'), event: 'leave', actorTokenId: 'x', presence: undefined });
    expect(frames).to.deep.equal([]);
  });
});
