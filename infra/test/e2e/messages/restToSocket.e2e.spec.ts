import { expect } from 'chai';
import { connect, type Client, type Message, type RoomwireError } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { startTestService, type TestService } from '../../support/testService.js';

interface World {
  readonly appId: string;
  readonly roomId: string;
  readonly topic: string;
  newClient(actor?: object): Promise<{ client: Client; actorTokenId: string }>;
}

describe('from REST to the socket', () => {
  let service: TestService;
  const clients: Client[] = [];

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const newWorld = async (): Promise<World> => {
    const { project, socketUrl } = service;
    const app = (await project.post('/apps', { name: 'world', topics: ['chat', 'news'] })).body;
    const room = (await project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' })).body;
    return {
      appId: app.appId,
      roomId: room.roomId,
      topic: `${app.slug}/lobby/chat`,
      async newClient(actor = {}) {
        const { body } = await project.post('/actors', { name: 'x', actorType: 'user', ...actor });
        const client = connect({ url: socketUrl, token: body.accessToken, reconnect: false });
        clients.push(client);
        await client.ready();
        return { client, actorTokenId: body.actorTokenId };
      },
    };
  };

  const refusalOf = (promise: Promise<unknown>): Promise<RoomwireError> =>
    promise.then(
      () => expect.fail('was not refused'),
      (error: RoomwireError) => error,
    );

  it('delivers what was published to every subscriber, in order, and never to the publishing actor', async () => {
    const world = await newWorld();
    const { client: alice } = await world.newClient();
    const { client: bob } = await world.newClient();
    const { client: carol } = await world.newClient();
    const got: Record<string, unknown[]> = { alice: [], bob: [], carol: [] };
    const keep = (name: string) => (message: Message) => void got[name]?.push(message.data);
    await alice.subscribe(world.topic, keep('alice'));
    await bob.subscribe(world.topic, keep('bob'));
    await carol.subscribe(world.topic, keep('carol'));
    for (let index = 0; index < 20; index += 1) await alice.publish(world.topic, { index });
    await bob.publish(world.topic, 'end');
    const fromAlice = Array.from({ length: 20 }, (_, index) => ({ index }));
    await eventually(() => got['carol']?.length === 21 && got['alice']?.length === 1);
    expect(got).to.eql({ alice: ['end'], bob: fromAlice, carol: [...fromAlice, 'end'] });
  });

  it('lets an actor use a room as soon as it is created, and until it is deleted', async () => {
    const world = await newWorld();
    const { client } = await world.newClient();
    const { client: other } = await world.newClient();
    const late = world.topic.replace('lobby', 'late');
    expect(await refusalOf(client.publish(late, 1))).to.include({ error: 'unknown_topic', code: 42940 });
    const rooms = `/apps/${world.appId}/rooms`;
    const { roomId } = (await service.project.post(rooms, { name: 'late' })).body;
    await client.publish(late, 1);
    let delivered = 0;
    await other.subscribe(late, () => void (delivered += 1));
    await service.project.patch(`${rooms}/${roomId}`, { status: 'disabled' });
    await eventually(async () => (await client.publish(late, 2).catch(() => 'refused')) === 'refused');
    const before = delivered;
    await service.project.patch(`${rooms}/${roomId}`, { status: 'active' });
    await eventually(async () => (await client.publish(late, 3).catch(() => 'refused')) !== 'refused');
    await service.project.delete(`${rooms}/${roomId}`);
    await eventually(async () => (await client.publish(late, 4).catch(() => 'refused')) === 'refused');
    expect(before).to.be.at.most(1);
  });

  it('refuses a disabled app, a topic that the app lacks, and a publish by an observer', async () => {
    const world = await newWorld();
    const { client } = await world.newClient();
    const { client: observer } = await world.newClient({ actorType: 'observer' });
    await observer.subscribe(world.topic, () => undefined);
    expect(await refusalOf(observer.publish(world.topic, 1))).to.include({ error: 'unknown_topic' });
    expect(await refusalOf(client.publish(world.topic.replace('chat', 'else'), 1))).to.include({
      error: 'unknown_topic',
    });
    await client.publish(world.topic, 1);
    await service.project.patch(`/apps/${world.appId}`, { status: 'disabled' });
    await eventually(async () => (await client.publish(world.topic, 2).catch(() => 'refused')) === 'refused');
  });

  it('closes the connections of an actor that is disabled or deleted', async () => {
    const world = await newWorld();
    for (const [end, closeReason] of [
      [(id: string) => service.project.patch(`/actors/${id}`, { status: 'disabled' }), 'token_revoked'],
      [(id: string) => service.project.delete(`/actors/${id}`), 'token_not_found'],
    ] as const) {
      const { client, actorTokenId } = await world.newClient();
      const closed = new Promise((resolve) =>
        client.on('state', (state) => void (state.name === 'closed' && resolve(state.reason))),
      );
      await end(actorTokenId);
      expect(await closed).to.include({ closeCode: 4001, closeReason });
    }
  });

  it('isolates equal slugs of two projects', async () => {
    const world = await newWorld();
    const { client: mine } = await world.newClient();
    const theirs = await service.newProject();
    const app = (await theirs.client.post('/apps', { name: 'x', topics: ['chat'] })).body;
    await theirs.client.patch(`/apps/${app.appId}`, { slug: world.topic.split('/')[0] });
    await theirs.client.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
    const { accessToken } = (await theirs.client.post('/actors', { name: 'x', actorType: 'user' })).body;
    const other = connect({ url: service.socketUrl, token: accessToken, reconnect: false });
    const another = await world.newClient();
    clients.push(other);
    const got: unknown[] = [];
    await mine.subscribe(world.topic, (message) => void got.push(message.data));
    await other.publish(world.topic, 'foreign');
    await another.client.publish(world.topic, 'ours');
    await eventually(() => got.length > 0);
    expect(got).to.eql(['ours']);
  });
});
