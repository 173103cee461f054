import { expect } from 'chai';
import { connect, type Client, type LobbyEvent, type RoomChange } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { startTestService, type TestService } from '../../support/testService.js';

interface Person {
  readonly client: Client;
  readonly id: string;
  readonly token: string;
  readonly changes: RoomChange[];
}

describe('presence, from REST to the socket', () => {
  let service: TestService;
  const clients: Client[] = [];

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const newRooms = async (...names: string[]): Promise<{ app: string; appId: string; roomIds: string[] }> => {
    const config = { lobbies: [{ slug: `${names[0]}-side`, rooms: [`${names[0]}*`] }] };
    const body = { name: 'house', topics: ['chat'], config };
    const { appId, slug } = (await service.project.post('/apps', body)).body;
    const roomIds: string[] = [];
    for (const name of names) {
      roomIds.push((await service.project.post(`/apps/${appId}/rooms`, { name })).body.roomId);
    }
    return { app: slug, appId, roomIds };
  };

  const open = async (token: string): Promise<Client> => {
    const client = connect({ url: service.socketUrl, token, reconnect: false });
    clients.push(client);
    await client.ready();
    return client;
  };

  const newPerson = async (fields = {}): Promise<Person> => {
    const { body } = await service.project.post('/actors', { name: 'x', actorType: 'user', ...fields });
    const client = await open(body.accessToken);
    const changes: RoomChange[] = [];
    client.on('presence', (change) => changes.push(change));
    return { client, id: body.actorTokenId, token: body.accessToken, changes };
  };

  const named = async ({ client }: Person, roomId: string): Promise<Record<string, unknown>> =>
    Object.fromEntries(
      (await client.presence(roomId)).map(({ actorTokenId, presence }) => [actorTokenId, presence]),
    );

  it('[WS-PRES-5] notifies of every member that joins, changes, moves and leaves', async () => {
    const { app } = await newRooms('hall', 'yard');
    const [witness, ann] = [await newPerson(), await newPerson()];
    await witness.client.enter(`${app}/hall`);
    await ann.client.enter(`${app}/hall`, { mood: 'fine' });
    await ann.client.enter(`${app}/hall`, { mood: 'better' });
    expect(await named(witness, `${app}/hall`)).to.eql({ [witness.id]: {}, [ann.id]: { mood: 'better' } });
    await ann.client.enter(`${app}/yard`);
    const who = { actorTokenId: ann.id, roomId: `${app}/hall` };
    await eventually(() => witness.changes.length === 3);
    expect(witness.changes).to.eql([
      { event: 'join', ...who, presence: { mood: 'fine' } },
      { event: 'update', ...who, presence: { mood: 'better' } },
      { event: 'leave', ...who },
    ]);
    expect(await named(witness, `${app}/yard`)).to.eql({ [ann.id]: {} });
    await ann.client.close();
    await eventually(async () => Object.keys(await named(witness, `${app}/yard`)).length === 0);
  });

  it('[WS-PRES-14] [WS-PRES-16] [WS-PRES-17] has members in several rooms, who leave one of them, and are counted', async () => {
    const { app } = await newRooms('hall', 'yard');
    const [hall, yard] = [`${app}/hall`, `${app}/yard`];
    const [witness, ann] = [await newPerson(), await newPerson()];
    const counts: number[] = [];
    await witness.client.count(yard, (present) => counts.push(present));
    await witness.client.enter(hall);
    for (const roomId of [hall, yard]) await ann.client.enter(roomId, { at: roomId }, { keep: true });
    await eventually(() => counts.at(-1) === 1);
    expect(await named(witness, hall)).to.eql({ [witness.id]: {}, [ann.id]: { at: hall } });
    expect(await named(witness, yard)).to.eql({ [ann.id]: { at: yard } });
    await ann.client.leave(yard);
    await eventually(() => counts.at(-1) === 0);
    expect(counts).to.eql([0, 1, 0]);
    expect(await named(witness, hall)).to.have.property(ann.id);
    await ann.client.leave(hall);
    await eventually(() => witness.changes.length === 2);
    expect(witness.changes.map(({ event, roomId }) => [event, roomId])).to.eql([
      ['join', hall],
      ['leave', hall],
    ]);
  });

  it('[WS-PRES-6] treats several connections of an actor as one presence', async () => {
    const { app } = await newRooms('room');
    const [witness, ann] = [await newPerson(), await newPerson()];
    await witness.client.enter(`${app}/room`);
    await ann.client.enter(`${app}/room`, { n: 1 });
    const second = await open(ann.token);
    await second.enter(`${app}/room`, { n: 1 });
    await ann.client.close();
    const marker = await newPerson();
    await marker.client.enter(`${app}/room`);
    await second.close();
    await eventually(() => witness.changes.length === 3);
    expect(witness.changes.map(({ event, actorTokenId }) => [event, actorTokenId])).to.eql([
      ['join', ann.id],
      ['join', marker.id],
      ['leave', ann.id],
    ]);
  });

  it('[WS-PRES-9] ends with the room, and returns only when it is announced again', async () => {
    const { app, appId, roomIds } = await newRooms('shop');
    const [ann, ben] = [await newPerson(), await newPerson()];
    await ann.client.enter(`${app}/shop`);
    const shop = `/apps/${appId}/rooms/${roomIds[0]}`;
    await service.project.patch(shop, { status: 'disabled' });
    await eventually(() =>
      ann.client.presence(`${app}/shop`).then(
        () => false,
        (error: { error: string }) => error.error === 'unknown_topic',
      ),
    );
    await service.project.patch(shop, { status: 'active' });
    await eventually(() =>
      ben.client.enter(`${app}/shop`).then(
        () => true,
        () => false,
      ),
    );
    expect(await named(ben, `${app}/shop`)).to.eql({ [ben.id]: {} });
  });

  it('[WS-LOBBY-3] shows a lobby, and [WS-LOBBY-4] notifies of changes in it', async () => {
    const { app } = await newRooms('wing-1', 'wing-2', 'attic');
    const [watcher, ann] = [await newPerson({ actorType: 'observer' }), await newPerson()];
    await ann.client.enter(`${app}/wing-1`, { n: 1 });
    const events: LobbyEvent[] = [];
    await watcher.client.lobby('wing-1-side', (event) => events.push(event));
    await watcher.client.lobby(app, (event) => events.push(event));
    await ann.client.enter(`${app}/attic`, { n: 2 });
    await eventually(() => events.length === 5);
    const [snapshot, whole, ...changes] = events;
    for (const one of [snapshot, whole]) {
      expect(one).to.have.nested.property(`presence.wing-1.${ann.id}.presence.n`, 1);
    }
    expect(changes.map((change) => [change.event, 'roomId' in change && change.roomId])).to.have.deep.members(
      [
        ['join', 'attic'],
        ['leave', 'wing-1'],
        ['leave', 'wing-1'],
      ],
    );
    expect(await watcher.client.lobbyPresence('wing-1-side')).to.eql({});
  });

  it('[WS-LOBBY-2] answers alike for a missing lobby and for one that is not allowed', async () => {
    const { app, appId } = await newRooms('vault');
    const { client } = await newPerson();
    await service.project.patch(`/apps/${appId}`, { config: { accessMode: 'private' } });
    for (const lobbyId of [app, 'vault-side', 'never-was']) {
      await eventually(() =>
        client.lobbyPresence(lobbyId).then(
          () => false,
          (error: { error: string }) => error.error === 'not_authorized',
        ),
      );
    }
  });
});
