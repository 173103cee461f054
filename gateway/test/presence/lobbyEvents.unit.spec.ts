import { expect } from 'chai';
import { decode } from '@msgpack/msgpack';
import type { Buffer } from 'node:buffer';
import type { ActorType } from '@roomwire/shared/domain/actor';
import type { App } from '@roomwire/shared/domain/app';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { internalRoom } from '@roomwire/shared/domain/topic';
import { eventually } from '@roomwire/testing/run/eventually';
import { Directory } from '../../src/access/directory.js';
import { Lobbies, type LobbyClient } from '../../src/presence/lobbies.js';
import { scopedAppOf } from '../../src/presence/presenceTable.js';
import type { PresenceEntry } from '@roomwire/shared/wire/protocol/presenceFrames';
import { Estate } from '../support/estate.js';
import { openEmbeddedPorts, type Ports } from '../support/ports.js';

interface Reader {
  readonly client: LobbyClient;
  readonly frames: Buffer[];
  closes: number;
}

describe('the events of lobbies', () => {
  let ports: Ports;
  let estate: Estate;
  let app: App;
  let directory: Directory;
  let lobbies: Lobbies;
  let entries: PresenceEntry[];
  let onSnapshot: (() => void) | undefined;

  const room = (slug = 'bar', scope: string | null = null) =>
    internalRoom(estate.projectId, scope, 'plaza', slug);

  const newReader = (actorTokenId = 'ann', actorType: ActorType = 'user'): Reader => {
    const frames: Buffer[] = [];
    const reader: Reader = {
      frames,
      closes: 0,
      client: {
        identity: {
          ...{ actorTokenId, actorType, projectId: estate.projectId, version: 2 },
          ...{
            organizationId: estate.organizationId,
            scope: null,
            accessScope: null,
            capabilities: undefined,
          },
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
        close: () => void (reader.closes += 1),
        subscribedApps: () => [],
        charge: () => {},
      },
    };
    return reader;
  };

  const shown = ({ frames }: Reader) =>
    frames.map((frame) => {
      const lengthCode = (frame[1] as number) & 0x7f;
      const headSize = lengthCode === 127 ? 10 : lengthCode === 126 ? 4 : 2;
      return decode(frame.subarray(headSize)) as { lobbyId: string; actorId?: string };
    });
  const actorsShown = (reader: Reader) => shown(reader).flatMap(({ actorId }) => actorId ?? []);

  const join = (actorTokenId: string, slug = 'bar', scope: string | null = null) =>
    lobbies.notify({ room: room(slug, scope), event: 'join', actorTokenId, presence: Uint8Array.of(0x80) });

  beforeEach(async () => {
    ports = await openEmbeddedPorts();
    estate = new Estate(ports.views);
    entries = [];
    onSnapshot = undefined;
    const config = {
      lobbies: [
        ...Array.from({ length: 100 }, (_, n) => ({ slug: `lobby-${n}`, rooms: ['bar', 'vip-*'] })),
        { slug: 'other', rooms: ['hall'] },
      ],
    };
    app = await estate.app('plaza', { config });
    await estate.room(app, 'bar');
    await estate.room(app, 'hall');
    const { views } = ports;
    directory = new Directory(views);
    lobbies = new Lobbies(
      { views, directory, clock: systemClock, limits: { reached: () => {} } },
      {
        ready: Promise.resolve(),
        roomsIn: (app) => (entries.length > 0 && app === scopedAppOf(room()) ? [room()] : []),
        entries: () => {
          onSnapshot?.();
          return entries;
        },
      },
    );
  });

  afterEach(() => ports.close());

  it('[WS-LOBBY-3] of very many subscriptions let the event loop run, and come in their order', async () => {
    const readers = Array.from({ length: 150 }, (_, n) => newReader(`reader-${n}`));
    for (const { client } of readers)
      for (let n = 0; n < 100; n += 1) await lobbies.subscribe(client, `plaza/lobby-${n}`);
    for (const { frames } of readers) frames.length = 0;
    const names = Array.from({ length: 5 }, (_, n) => `actor-${n}`);
    for (const name of names) join(name);
    const sent = () => readers.reduce((sum, { frames }) => sum + frames.length, 0);
    const all = readers.length * 100 * names.length;
    const inOneTurn = [];
    for (let before = 0; before < all;) {
      await new Promise(setImmediate);
      inOneTurn.push(sent() - before);
      before = sent();
    }
    expect(Math.max(...inOneTurn)).to.be.below(all / 2);
    for (const reader of readers) {
      const byLobby = new Map<string, string[]>();
      for (const { lobbyId, actorId } of shown(reader))
        byLobby.set(lobbyId, [...(byLobby.get(lobbyId) ?? []), actorId ?? '']);
      expect(byLobby.size).to.equal(100);
      for (const [, actors] of byLobby) expect(actors).to.deep.equal(names);
    }
  });

  it('[WS-LOBBY-3] that a snapshot shows already do not follow it', async () => {
    const first = newReader();
    await lobbies.subscribe(first.client, 'plaza/lobby-0');
    directory.forgetAll();
    // Waits until the room has been read again.
    entries = [{ actorTokenId: 'early', presence: Uint8Array.of(0x80), joinedAt: 1 }];
    join('early');
    const second = newReader('bob');
    const subscribed = lobbies.subscribe(second.client, 'plaza/lobby-1');
    join('amid');
    entries = [...entries, { actorTokenId: 'amid', presence: Uint8Array.of(0x80), joinedAt: 1 }];
    await subscribed;
    join('late');
    await eventually(() => actorsShown(first).length === 3 && actorsShown(second).includes('late'));
    expect(actorsShown(first)).to.deep.equal(['early', 'amid', 'late']);
    const [snapshot] = shown(second) as unknown as { presence: { bar: object } }[];
    const inSnapshot = Object.keys(snapshot?.presence.bar ?? {});
    expect([...inSnapshot, ...actorsShown(second)]).to.deep.equal(['early', 'amid', 'late']);
  });

  it('[WS-SCOPE-4] begin anew where the actor is moved while its snapshot is made', async () => {
    const reader = newReader();
    entries = [{ actorTokenId: 'former', presence: Uint8Array.of(0x80), joinedAt: 1 }];
    onSnapshot = () => {
      onSnapshot = undefined;
      Object.assign(reader.client, { identity: { ...reader.client.identity, scope: 'other' } });
      lobbies.leave(reader.client);
    };
    await lobbies.subscribe(reader.client, 'plaza/lobby-0');
    expect(shown(reader)).to.have.length(1);
    expect(shown(reader)[0]).to.deep.include({ presence: {} });
    join('of the old scope');
    join('of the new scope', 'bar', 'other');
    await eventually(() => actorsShown(reader).length > 0);
    expect(actorsShown(reader)).to.deep.equal(['of the new scope']);
  });

  it('[WS-LOBBY-3] are those of its rooms, until it is unsubscribed', async () => {
    const [bar, hall] = [newReader(), newReader()];
    await lobbies.subscribe(bar.client, 'plaza/lobby-0');
    await lobbies.subscribe(hall.client, 'plaza/other');
    join('one');
    join('two', 'hall');
    join('three', 'unknown');
    join('four');
    await eventually(() => actorsShown(bar).length === 2 && actorsShown(hall).length === 1);
    expect([actorsShown(bar), actorsShown(hall)]).to.deep.equal([['one', 'four'], ['two']]);
    directory.forgetAll();
    join('five');
    lobbies.unsubscribe(bar.client, 'plaza/lobby-0');
    join('six', 'hall');
    await eventually(() => actorsShown(hall).length === 2);
    expect(actorsShown(bar)).to.deep.equal(['one', 'four']);
  });

  it('[WS-LOBBY-2] [WS-EXT-3] are those of rooms that its type may read, where an actor has connections of several types', async () => {
    await estate.grant(await estate.room(app, 'vip-1'), { actorType: 'service' });
    const types = ['service', 'user', 'service'] as const;
    const readers = types.map((actorType) => newReader('ext', actorType));
    for (const { client } of readers) await lobbies.subscribe(client, 'plaza/lobby-0');
    join('guest', 'vip-1');
    join('anybody');
    await eventually(() => readers.every((reader) => actorsShown(reader).includes('anybody')));
    expect(readers.map(actorsShown)).to.deep.equal([['guest', 'anybody'], ['anybody'], ['guest', 'anybody']]);
  });

  it('[WS-LOBBY-3] wait while rooms cannot be read, a thousand at most, then the connection is closed', async () => {
    const reader = newReader();
    await lobbies.subscribe(reader.client, 'plaza/lobby-0');
    directory.forgetAll();
    for (let n = 0; n < 1_001; n += 1) join(`actor-${n}`);
    expect(reader.closes).to.equal(0);
    join('more');
    expect(reader.closes).to.equal(1);
  });
});
