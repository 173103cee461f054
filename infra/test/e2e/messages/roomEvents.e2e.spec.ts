import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { actorOf } from '../../support/hookedApp.js';
import { eventsOf, toldBy, type RoomEventBody } from '../../support/roomEvents.js';
import { startTestService, type TestService } from '../../support/testService.js';

const { answer, inTurn } = reactions;

interface Actor {
  readonly id: string;
  readonly token: string;
}

describe('room events by webhook', () => {
  let service: TestService;
  let endpoint: WebhookEndpoint;
  const clients: Client[] = [];

  before(async () => void (service = await startTestService({ webhookAllowPrivate: true })));
  after(() => service.close());
  beforeEach(async () => void (endpoint = await WebhookEndpoint.open()));
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await endpoint.close();
  });

  const newRoom = async (eventWebhook: object = {}) => {
    const config = { eventWebhook: { url: endpoint.url, lingerSeconds: 0, ...eventWebhook } };
    const app = (await service.project.post('/apps', { name: 'hall', topics: ['chat'], config })).body;
    const { roomId } = (await service.project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' })).body;
    return { appId: app.appId as string, roomId: roomId as string, room: `${app.slug}/lobby` };
  };
  const newActor = async (fields: object = {}): Promise<Actor> => {
    const { accessToken, actorTokenId } = await actorOf(service.project, fields);
    return { id: actorTokenId, token: accessToken };
  };
  const open = async ({ token }: Actor): Promise<Client> => {
    const client = connect({ url: service.socketUrl, token, reconnect: false });
    clients.push(client);
    await client.ready();
    return client;
  };
  const told = (count: number, withinMs = 15_000): Promise<void> =>
    eventually(() => endpoint.received.length >= count, { what: `${count} events`, withinMs });
  const sequences = () => eventsOf(endpoint.received).map(({ sequence }) => sequence);

  it('[HOOK-EVENT-2] [HOOK-EVENT-3] [HOOK-EVENT-4] tell who comes and goes, in sequence', async () => {
    const { appId, roomId, room } = await newRoom({ headers: { 'X-Key': 'k' } });
    const [ann, ben] = [await newActor(), await newActor()];
    const [first, second] = [await open(ann), await open(ben)];
    await first.enter(room, { mood: 'fine' });
    await second.enter(room);
    await first.enter(room, { mood: 'better' });
    await told(3);
    await first.close();
    await told(4);
    await second.close();
    await told(6);
    expect(toldBy(endpoint)).to.eql([
      ...['occupied', `joined ${ann.id}`, `joined ${ben.id}`, `left ${ann.id}`, `left ${ben.id}`, 'vacated'],
    ]);
    expect(sequences()).to.eql([1, 2, 3, 4, 5, 6]);
    const events = eventsOf(endpoint.received);
    const [occupied, joined, , left] = events as [RoomEventBody, RoomEventBody, RoomEventBody, RoomEventBody];
    const common = { appId, roomId, roomSlug: 'lobby', scope: null };
    expect(occupied).to.eql({
      ...{ ...common, event: 'occupied', actorTokenId: null, presence: null, at: occupied.at, sequence: 1 },
    });
    expect(joined).to.deep.include({ ...common, event: 'joined', presence: { mood: 'fine' } });
    expect(left).to.deep.include({ event: 'left', actorTokenId: ann.id, presence: { mood: 'better' } });
    for (const { at } of events) expect(new Date(at).toISOString()).to.equal(at);
    const ids = endpoint.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).to.equal(6);
    expect(endpoint.received[0]?.headers).to.include({ 'x-key': 'k', 'content-type': 'application/json' });
  });

  it('[HOOK-EVENT-3] number the chosen events alone', async () => {
    const { room } = await newRoom({ events: ['joined', 'vacated'] });
    const ann = await newActor();
    for (const round of [1, 2]) {
      const client = await open(ann);
      await client.enter(room);
      await client.close();
      await told(2 * round);
    }
    expect(toldBy(endpoint)).to.eql([`joined ${ann.id}`, 'vacated', `joined ${ann.id}`, 'vacated']);
    expect(sequences()).to.eql([1, 2, 3, 4]);
  });

  it('[HOOK-EVENT-3] have a sequence for each scope', async () => {
    const { room } = await newRoom({ events: ['joined'] });
    const slug = `acme-${Date.now()}`;
    const { accessScopeId } = (await service.project.post('/scopes', { slug, name: 'Acme' })).body;
    const [ann, ben] = [await newActor(), await newActor({ accessScopeId })];
    for (const actor of [ann, ben]) await (await open(actor)).enter(room);
    await told(2);
    expect(sequences()).to.eql([1, 1]);
    const scoped = eventsOf(endpoint.received).find(({ scope }) => scope !== null);
    expect(scoped).to.deep.include({ actorTokenId: ben.id, scope: { accessScopeId, slug, name: 'Acme' } });
  });

  it('[HOOK-EVENT-5] hide whoever comes back in time, and tell of whoever does not', async () => {
    const { room } = await newRoom({ lingerSeconds: 2 });
    const [ann, ben] = [await newActor(), await newActor()];
    await (await open(ben)).enter(room);
    for (let reload = 0; reload < 5; reload += 1) {
      const client = await open(ann);
      await client.enter(room, { reload });
      await client.close();
    }
    await told(4);
    expect(toldBy(endpoint)).to.eql(['occupied', `joined ${ben.id}`, `joined ${ann.id}`, `left ${ann.id}`]);
    expect(eventsOf(endpoint.received).at(-1)?.presence).to.eql({ reload: 4 });
  });

  it('[HOOK-EVENT-6] [HOOK-EVENT-9] wait for the one before, and go on once it is a dead letter that can be redriven', async () => {
    endpoint.reaction = inTurn(answer(503), answer(503), answer(204), answer(410), answer(204));
    const { room, appId } = await newRoom({ events: ['joined'] });
    const actors = await Promise.all([1, 2, 3].map(() => newActor()));
    for (const actor of actors) await (await open(actor)).enter(room);
    await told(5);
    expect(sequences()).to.eql([1, 1, 1, 2, 3]);
    const ids = endpoint.received.map(({ headers }) => String(headers['webhook-id']));
    expect(new Set(ids.slice(0, 3)).size).to.equal(1);
    const path = `/organizations/${service.credentials.organizationId}/webhook-dlq/${ids[3]}`;
    await eventually(async () => (await service.operator.get(path)).status === 200);
    const entry = (await service.operator.get(path)).body;
    expect(entry).to.include({ kind: 'event', sequence: 2, appId, status: 'failed', url: endpoint.url });
    expect(entry.requestBody).to.include({ event: 'joined', sequence: 2, actorTokenId: actors[1]?.id });
    await service.operator.post(`${path}/redrive`, undefined);
    await told(6);
    expect(endpoint.received[5]?.json).to.eql(endpoint.received[3]?.json);
    expect(endpoint.received[5]?.headers['webhook-id']).to.equal(ids[3]);
    await eventually(async () => (await service.operator.get(path)).status === 404);
  });

  it('[HOOK-EVENT-5] end with the room', async () => {
    const { room, appId, roomId } = await newRoom({ lingerSeconds: 300 });
    const ann = await newActor();
    await (await open(ann)).enter(room);
    await told(2);
    await service.project.delete(`/apps/${appId}/rooms/${roomId}`);
    await told(4);
    expect(toldBy(endpoint)).to.eql(['occupied', `joined ${ann.id}`, `left ${ann.id}`, 'vacated']);
  });

  it('[HOOK-EVENT-7] begin with those who are present, stop, and go on where they were', async () => {
    const { room, appId } = await newRoom({ events: ['joined', 'left'] });
    const configure = (eventWebhook: unknown) =>
      service.project.patch(`/apps/${appId}`, { config: { eventWebhook } });
    await configure(null);
    const [ann, ben] = [await newActor(), await newActor()];
    const first = await open(ann);
    await first.enter(room);
    await configure({ url: endpoint.url, lingerSeconds: 0, events: ['joined', 'left'] });
    await told(1);
    await configure(null);
    await first.close();
    await (await open(ben)).enter(room);
    await configure({ url: endpoint.url, lingerSeconds: 0, events: ['joined', 'left'] });
    await told(3);
    expect(new Set(toldBy(endpoint))).to.eql(
      new Set([`joined ${ann.id}`, `left ${ann.id}`, `joined ${ben.id}`]),
    );
    expect(sequences()).to.eql([1, 2, 3]);
  });
});
