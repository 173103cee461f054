import { expect } from 'chai';
import { connect, type Client, type ClientOptions, type Session } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { startTestService, type TestService } from '../../support/testService.js';

interface Place {
  readonly topic: string;
  readonly roomPath: string;
  newToken(actorType: string): Promise<string>;
}

describe('filters, retained values and sessions', () => {
  let service: TestService;
  let place: Place;
  const clients: Client[] = [];

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => void (place = await newPlace()));
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const newPlace = async (): Promise<Place> => {
    const { project } = service;
    const app = (await project.post('/apps', { name: 'place', topics: ['chat'] })).body;
    const room = (await project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' })).body;
    return {
      topic: `${app.slug}/lobby/chat`,
      roomPath: `/apps/${app.appId}/rooms/${room.roomId}`,
      newToken: async (actorType) =>
        (await project.post('/actors', { name: 'x', actorType })).body.accessToken,
    };
  };

  const open = async (token: string, options: Partial<ClientOptions> = {}): Promise<[Client, Session]> => {
    const client = connect({ url: service.socketUrl, token, reconnect: false, ...options });
    clients.push(client);
    return [client, await client.ready()];
  };
  const join = async (): Promise<Client> => (await open(await place.newToken('user')))[0];
  const listen = async (client: Client, filters?: readonly string[]): Promise<unknown[]> => {
    const got: unknown[] = [];
    await client.subscribe(place.topic, ({ data }) => void got.push(data), { filters });
    return got;
  };

  it('delivers by filters, which can be replaced', async () => {
    const [reader, writer] = [await join(), await join()];
    const got = await listen(reader, ['eu']);
    await writer.publish(place.topic, 1, { filter: 'eu' });
    await writer.publish(place.topic, 2, { filter: 'us' });
    await writer.publish(place.topic, 3, { filter: 'eu' });
    await eventually(() => got.includes(3));
    await reader.setFilters(place.topic, ['us']);
    await writer.publish(place.topic, 4, { filter: 'eu' });
    await writer.publish(place.topic, 5, { filter: 'us' });
    await eventually(() => got.includes(5));
    expect(got).to.eql([1, 3, 5]);
  });

  it('sends the retained value to later subscribers, once, and none of a deleted room', async () => {
    const writer = await join();
    for (let n = 1; n <= 20; n += 1) await writer.publish(place.topic, n, { retain: true });
    const got = await listen(await join());
    await eventually(() => got.length > 0);
    await writer.publish(place.topic, 'marker');
    await eventually(() => got.includes('marker'));
    expect(got).to.eql([20, 'marker']);
    await service.project.delete(place.roomPath);
    await service.project.post(place.roomPath.replace(/\/[^/]+$/, ''), { name: 'lobby' });
    const later = await join();
    const fresh = await listen(later);
    await eventually(
      async () => (await writer.publish(place.topic, 'fresh').catch(() => 'refused')) !== 'refused',
    );
    await eventually(() => fresh.includes('fresh'));
    expect(fresh).to.eql(['fresh']);
  });

  it('sends subscribers that join during publishes each value once, in order, and the last', async () => {
    const writer = await join();
    const readers: unknown[][] = [];
    let sent = 0;
    const writing = (async () => {
      while (sent < 40) await writer.publish(place.topic, (sent += 1), { retain: true });
    })();
    for (let n = 0; n < 8; n += 1) readers.push(await listen(await join()));
    await writing;
    for (const got of readers) {
      await eventually(() => got.at(-1) === 40);
      expect([...new Set(got as number[])].sort((a, b) => a - b)).to.eql(got);
    }
  });

  it('restores the subscriptions of an agent, and none for a user', async () => {
    for (const actorType of ['agent', 'user']) {
      const token = await place.newToken(actorType);
      const [first] = await open(token, { clientId: 'c' });
      await listen(first, ['eu']);
      await first.close();
      let session: Session | undefined;
      await eventually(async () => {
        const [client, given] = await open(token, { clientId: 'c', resume: true });
        session = given;
        if (actorType === 'agent' && given.restoredSubscriptions.length === 0) await client.close();
        return actorType === 'user' || given.restoredSubscriptions.length > 0;
      });
      const restored = session?.restoredSubscriptions.map(({ pattern, filters }) => ({ pattern, filters }));
      expect(restored).to.eql(actorType === 'agent' ? [{ pattern: place.topic, filters: ['eu'] }] : []);
    }
  });

  it('keeps sessions over a restart of the service, and no retained values', async () => {
    const token = await place.newToken('orchestrator');
    const writer = await place.newToken('user');
    const [first] = await open(token);
    await listen(first, ['eu']);
    await (await open(writer))[0].publish(place.topic, 'of before', { retain: true, filter: 'eu' });
    await Promise.all(clients.splice(0).map((client) => client.close()));
    const url = await service.restart();
    const [again, { restoredSubscriptions }] = await open(token, { url, resume: true });
    expect(restoredSubscriptions.map(({ pattern }) => pattern)).to.eql([place.topic]);
    const got = await listen(again, ['eu']);
    await (await open(writer, { url }))[0].publish(place.topic, 'of now', { filter: 'eu' });
    await eventually(() => got.length > 0);
    expect(got).to.eql(['of now']);
  });
});
