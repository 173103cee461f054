import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { provisionedRoomsCap, roomsDecider, type RoomsState } from '@roomwire/command-api/rooms/decider';
import { openMongoSnapshotStore } from '@roomwire/shared/adapters/snapshot-store/mongoSnapshotStore';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { HappenedEvent, NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import { readEvent, schemaVersions, type DomainEvent } from '@roomwire/shared/domain/events';
import { roomsStream, type GrantEvent, type RoomEvent } from '@roomwire/shared/domain/room';
import type { SnapshotStore } from '@roomwire/shared/ports/snapshotStore';
import { eventually } from '@roomwire/testing/run/eventually';
import { readConfig } from '../../src/config/config.js';
import { apiClient, type ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster } from '../support/cluster.js';
import type { Answer } from '../support/conformance.js';
import { withLog } from '../support/eventLogAccess.js';

const rooms = 1_500;
/** How many more `rooms/ensure` may create. */
const left = 10;
const eventsPerAppend = 500;
/** Requests of each kind, each on both processes. */
const asked = 30;
const atOnce = 32;

const tally = (answers: readonly Answer[]): Record<number, number> => {
  const counted: Record<number, number> = {};
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
};

describe('a long stream that two command-apis write', function () {
  this.timeout(180_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let snapshots: SnapshotStore;
  let appId: string;
  let projectId: string;
  let apiKey: string;
  let clients: [ApiClient, ApiClient];

  const ofLog = <T>(use: Parameters<typeof withLog<T>>[1]): Promise<T> =>
    withLog(readConfig({ ROOMWIRE_EVENTSTORE_URL: engines.eventStoreUrl }), use);

  /** Rooms, of which nearly as many as are allowed were made by `rooms/ensure`, and a grant on each. */
  const history = (): NewEvent[] => {
    const made: DomainEvent[] = [];
    for (let index = 0; index < rooms; index += 1) {
      const ids = { roomId: systemRandom.uuid(), appId, projectId };
      const origin = index < provisionedRoomsCap - left ? 'ensure' : 'api';
      made.push({
        type: 'RoomCreated',
        data: {
          ...{ ...ids, name: `Room ${index}`, slug: `room-${index}`, description: null, topics: [] },
          ...{ metadata: {}, origin },
        },
      });
      made.push({
        type: 'RoomGrantAdded',
        data: {
          ...{ ...ids, roomActorAccessId: systemRandom.uuid(), actorTokenId: null, actorType: 'user' },
          ...{
            permission: 'pubSub',
            topics: null,
            expiresAt: null,
            isActive: true,
            role: null,
            metadata: null,
          },
        },
      });
    }
    return made.map(({ type, data }) => ({
      ...{ id: systemRandom.uuid(), type, schemaVersion: schemaVersions[type], data },
      metadata: {
        ...{ organizationId: 'o', projectId, principal: 'system', requestId: 'r' },
        occurredAt: new Date().toISOString(),
      },
    }));
  };

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    snapshots = await openMongoSnapshotStore({ url: cluster.mongodbUrl });
    const first = await cluster.add('command-api');
    await cluster.add('projections');
    const second = await cluster.add('command-api');
    const project = await cluster.newProject({}, first, second);
    ({ projectId, apiKey } = project);
    clients = project.clients as [ApiClient, ApiClient];
  });
  // Of each attempt at a test. The second process has not read the stream when the test begins.
  beforeEach(async () => {
    const [client] = clients;
    const config = { autoProvisionRooms: true };
    ({ appId } = (await client.post('/apps', { name: 'Large', config })).body);
    const events = history();
    await ofLog(async (log) => {
      let revision: number | 'none' = 'none';
      for (let from = 0; from < events.length; from += eventsPerAppend) {
        const part = events.slice(from, from + eventsPerAppend) as [NewEvent, ...NewEvent[]];
        ({ revision } = await log.append(roomsStream(appId), revision, part));
      }
    });
    const path = `/apps/${appId}/rooms`;
    expect((await client.post(path, { name: 'x', slug: 'first' })).status).to.equal(201);
    await eventually(async () => (await snapshots.find(roomsStream(appId))) !== undefined, {
      ...{ withinMs: 30_000, what: 'the snapshot' },
    });
    await eventually(async () => (await client.get(path)).body.length === rooms + 1, {
      ...{ withinMs: 60_000, what: 'the read models' },
    });
  });
  after(async () => {
    await snapshots?.close();
    await cluster?.close();
    await engines?.close();
  });

  /** Each request on both processes at about the same time, `atOnce` in all; the answers by kind. */
  const race = async (
    kinds: readonly ((client: ApiClient, index: number) => Promise<Answer>)[],
    count: number,
  ): Promise<readonly (readonly Answer[])[]> => {
    const answers = kinds.map((): Answer[] => []);
    const requests = Array.from({ length: count * kinds.length }, (_, index) => index).flatMap((index) =>
      clients.map((client) => async () => {
        const kind = index % kinds.length;
        answers[kind]?.push(
          await (kinds[kind] as (typeof kinds)[number])(client, Math.floor(index / kinds.length)),
        );
      }),
    );
    const ask = async (): Promise<void> => {
      for (let next; (next = requests.shift()) !== undefined;) await next();
    };
    await Promise.all(Array.from({ length: atOnce }, ask));
    return answers;
  };

  /** What the whole history comes to, in which no rule was ever broken. */
  const fold = (): Promise<RoomsState> =>
    ofLog(async (log) => {
      let state = roomsDecider.initial();
      for await (const batch of log.readStream(roomsStream(appId)))
        for (const recorded of batch) {
          const event = readEvent(recorded) as HappenedEvent<RoomEvent | GrantEvent>;
          const { type, data } = event;
          if (type === 'RoomCreated') expect(state.idBySlug.has(data.slug), data.slug).to.equal(false);
          if (type === 'RoomDeleted') expect(state.byId.has(data.roomId)).to.equal(true);
          if (type === 'RoomGrantAdded')
            expect(state.grants.get(data.roomId)?.holders.has(data.actorType ?? '') ?? false).to.equal(false);
          state = roomsDecider.evolve(state, event);
          expect(state.provisioned).to.be.at.most(provisionedRoomsCap);
        }
      return state;
    });

  it('is the same on both, and keeps its rules', async () => {
    const path = `/apps/${appId}/rooms`;
    const before = await fold();
    const idOf = (index: number): string => before.idBySlug.get(`room-${index}`) ?? '';
    // The first request that the second process gets finds it without the stream.
    const answers = await race(
      [
        (client, index) => client.post(path, { name: 'x', slug: `new-${index}` }),
        (client, index) => client.post(`${path}/ensure`, { name: 'x', slug: `ensured-${index}` }),
        (client, index) => client.delete(`${path}/${idOf(rooms - 1 - index)}`),
        (client, index) =>
          client.post(`${path}/${idOf(1_000 + index)}/actors`, {
            ...{ actorType: index % 2 === 0 ? 'user' : 'agent', permission: 'subscribe' },
          }),
      ],
      asked,
    );
    expect(answers.map(tally)).to.eql([
      { 201: asked, 409: asked },
      { 200: 2 * left, 400: 2 * asked - 2 * left },
      { 204: asked, 404: asked },
      { 201: asked / 2, 409: (asked * 3) / 2 },
    ]);

    const state = await fold();
    expect(state.provisioned).to.equal(provisionedRoomsCap);
    expect(state.byId.size).to.equal(rooms + 1 + left);
    const third = apiClient((await cluster.add('command-api')).baseUrl, apiKey);
    const isListed = async (client: ApiClient): Promise<boolean> => {
      const listed = ((await client.get(path)).body as { roomId: string }[]).map(({ roomId }) => roomId);
      return isDeepStrictEqual(new Set(listed), new Set(state.byId.keys()));
    };
    // On a busy machine the answers may come before the read models show the writes.
    for (const client of [...clients, third])
      await eventually(() => isListed(client), { withinMs: 30_000, what: 'the list of all rooms' });
    for (const client of [...clients, third]) {
      const statuses = [
        await client.post(path, { name: 'x', slug: 'new-7' }),
        await client.post(path, { name: 'x', slug: 'room-7' }),
        await client.post(`${path}/ensure`, { name: 'x', slug: 'one-more' }),
        await client.delete(`${path}/${idOf(rooms - 1)}`),
        await client.post(`${path}/${idOf(7)}/actors`, { actorType: 'user', permission: 'publish' }),
        await client.post(path, { name: 'x', slug: `room-${rooms - 1}` }),
      ].map(({ status }) => status);
      expect(statuses).to.eql([409, 409, 400, 404, 409, client === clients[0] ? 201 : 409]);
    }
  });

  it('loses its snapshot with its app', async () => {
    const [client] = clients;
    expect((await client.delete(`/apps/${appId}`)).status).to.equal(200);
    expect(await snapshots.find(roomsStream(appId))).to.equal(undefined);
  });
});
