import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { FrameClient, type Frame } from '@roomwire/testing/clients/frameClient';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { actorOf, appWithRoom } from '../../support/hookedApp.js';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';

describe('publishing for later over HTTP', () => {
  let service: TestService;
  let project: TestProject;
  let topic: string;
  let appId: string;
  let reader: FrameClient;

  before(async () => void (service = await startTestService()));
  after(() => service.close());

  beforeEach(async () => {
    project = await service.newProject();
    ({ topic, appId } = await appWithRoom(project.client, {}));
    const { accessToken } = await actorOf(project.client);
    reader = await FrameClient.join(service.socketUrl, accessToken);
    await reader.subscribe(topic, { meta: true });
  });
  afterEach(() => reader.terminate());

  const publish = (message: object) => project.client.post('/publish', message);
  const next = async (): Promise<Frame> => (await reader.next()) as Frame;
  const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const listed = async (query = ''): Promise<{ data: Record<string, unknown>[]; next: string | null }> =>
    (await project.client.get(`/scheduled${query}`)).body;

  it('[HTTP-LATER-1] answers with the id and the time, and delivers the message then', async () => {
    const deliverAt = inMs(800);
    const { status, body } = await publish({ topic, data: { n: 1 }, filter: 'f', deliverAt });
    expect(status).to.equal(200);
    expect(body).to.have.keys('id', 'scheduledId', 'deliverAt');
    expect(body).to.include({ id: body.scheduledId, deliverAt });
    const message = await next();
    expect(message).to.deep.include({ data: { n: 1 }, filter: 'f' });
    const { at, ...meta } = message['meta'] as { at: number };
    expect(at).to.be.at.least(Date.parse(deliverAt));
    expect(meta).to.deep.equal({ id: body.scheduledId, from: null });
  });

  it('[HTTP-LATER-1] takes it in batches, and deduplicates ids when they are accepted', async () => {
    const messages = [
      { topic, data: 1, id: 'a', deliverAt: inMs(500) },
      { topic, data: 2 },
      { topic, data: 1, id: 'a', deliverAt: inMs(90_000) },
      { topic: 'no/such/topic', data: 3, deliverAt: inMs(500) },
    ];
    const { results } = (await publish({ messages })).body;
    expect(results[0]).to.deep.equal({
      ...{ id: 'a', scheduledId: results[0].scheduledId, deliverAt: messages[0]?.deliverAt },
    });
    expect(results[1]).to.have.keys('id', 'at');
    expect(results[2]).to.include({ id: 'a', scheduledId: results[0].scheduledId, duplicate: true });
    expect(results[3]).to.include({ error: 'unknown_topic' });
    expect([(await next())['data'], (await next())['data']]).to.deep.equal([2, 1]);
  });

  it('[HTTP-LATER-1] refuses a time that is none, or too far ahead, with the whole request', async () => {
    for (const deliverAt of ['tomorrow', 1_900_000_000_000, inMs(31 * 86_400_000)]) {
      const refused = await publish({
        messages: [
          { topic, data: 1 },
          { topic, data: 2, deliverAt },
        ],
      });
      expect(refused.status, String(deliverAt)).to.equal(400);
      expect(JSON.stringify(refused.body)).to.include('messages.1.deliverAt');
    }
    expect((await publish({ topic, data: 'at once', deliverAt: null })).body).to.have.keys('id', 'at');
    expect(await next()).to.include({ data: 'at once' });
  });

  it('[WS-LATER-2] delivers what is for one time in the order in which it was accepted', async () => {
    const deliverAt = inMs(1_500);
    const batchSize = 100;
    for (const batch of [0, 1, 2]) {
      const numbers = Array.from({ length: batchSize }, (_, n) => batch * batchSize + n);
      const messages = numbers.map((data) => ({
        ...{ topic, data, deliverAt },
        ...(data % 3 === 0 && { id: `n-${data}` }),
      }));
      const { results } = (await publish({ messages })).body as { results: object[] };
      expect(results.filter((result) => 'scheduledId' in result)).to.have.length(batchSize);
    }
    const all = Array.from({ length: 3 * batchSize }, (_, n) => n);
    const got: unknown[] = [];
    while (got.length < all.length) got.push((await next())['data']);
    expect(got).to.deep.equal(all);
  });

  it('[HTTP-LATER-2] lists nothing for what is no address of a topic', async () => {
    await publish({ topic, data: 1, deliverAt: inMs(3_600_000) });
    for (const other of ['', 'news', `a/b/${'x'.repeat(3_000)}`]) {
      const { status, body } = await project.client.get(`/scheduled?topic=${other}`);
      expect([status, body]).to.deep.equal([200, { data: [], next: null }]);
    }
  });

  it('[HTTP-LATER-2] lists what waits, the earliest first, by topic and page by page', async () => {
    const { actorTokenId } = await actorOf(project.client);
    const { body: scope } = await project.client.post('/scopes', { name: 'North', slug: 'north' });
    const other = `${topic.slice(0, topic.lastIndexOf('/'))}/other`;
    const times = [3, 1, 2].map((hours) => inMs(hours * 3_600_000));
    const made = await publish({ topic, data: 1, deliverAt: times[0], as: actorTokenId });
    await publish({ topic, data: 2, deliverAt: times[1], id: 'first', scope: scope.accessScopeId });
    const { body } = await publish({ topic: other, data: 3, deliverAt: times[2] });
    const known = body.error === undefined;
    const all = await listed();
    expect(all.data.map(({ deliverAt }) => deliverAt)).to.deep.equal(
      known ? [times[1], times[2], times[0]] : [times[1], times[0]],
    );
    expect(all.next).to.equal(null);
    expect(all.data[0]).to.include({
      ...{ topic, scope: scope.accessScopeId, id: 'first', actorTokenId: null, deliverAt: times[1] },
    });
    // What its publisher was told, and subscribers will be.
    const { scheduledId } = made.body;
    expect(all.data.at(-1)).to.include({ scope: null, id: scheduledId, scheduledId, actorTokenId });
    expect(made.body).to.include({ id: scheduledId });
    const first = await listed(`?limit=1&topic=${encodeURIComponent(topic)}`);
    const second = await listed(`?limit=1&topic=${encodeURIComponent(topic)}&cursor=${first.next}`);
    expect([first.data, second.data, second.next]).to.deep.equal([[all.data[0]], [all.data.at(-1)], null]);
    expect((await project.client.get('/scheduled?cursor=x')).status).to.equal(400);
    const stranger = await service.newProject();
    expect((await stranger.client.get('/scheduled')).body).to.deep.equal({ data: [], next: null });
  });

  it('[HTTP-LATER-3] cancels one that waits, and knows none that was delivered', async () => {
    const stranger = await service.newProject();
    // Long enough for a machine that stalls to cancel it before.
    const deliverAt = inMs(4_000);
    const { scheduledId } = (await publish({ topic, data: 'never', deliverAt })).body;
    expect((await stranger.client.delete(`/scheduled/${scheduledId}`)).status).to.equal(404);
    expect((await project.client.delete(`/scheduled/${scheduledId}`)).status).to.equal(204);
    expect((await project.client.delete(`/scheduled/${scheduledId}`)).status).to.equal(404);
    const made = (await publish({ topic, data: 'made', deliverAt })).body;
    expect(await next()).to.include({ data: 'made' });
    expect((await project.client.delete(`/scheduled/${made.scheduledId}`)).status).to.equal(404);
    expect((await project.client.delete(`/scheduled/${randomUUID()}`)).status).to.equal(404);
    expect((await project.client.delete('/scheduled/none')).status).to.equal(400);
  });

  it('[WS-LATER-4] runs the trigger webhook with the delivery, where it is to run', async () => {
    const endpoint = await WebhookEndpoint.open();
    const hooked = await appWithRoom(project.client, { triggerWebhook: { url: endpoint.url } });
    await reader.subscribe(hooked.topic);
    const at = { topic: hooked.topic };
    await publish({ ...at, data: 'silent', deliverAt: inMs(400) });
    await publish({ ...at, data: 'loud', deliverAt: inMs(600), trigger: true });
    for (const data of ['silent', 'loud']) expect(await next()).to.include({ data });
    await eventually(() => endpoint.received.length > 0);
    expect(endpoint.received.map(({ json }) => (json as { data: unknown }).data)).to.deep.equal(['loud']);
    await endpoint.close();
  });

  it('[WS-LATER-7] goes with the app that it was for', async () => {
    await publish({ topic, data: 1, deliverAt: inMs(3_600_000) });
    expect((await listed()).data).to.have.length(1);
    expect((await project.client.delete(`/apps/${appId}`)).status).to.equal(200);
    await eventually(async () => (await listed()).data.length === 0);
  });

  const deadLetters = async (): Promise<Record<string, unknown>[]> =>
    (await service.operator.get(`/organizations/${project.organizationId}/webhook-dlq`)).body.data;

  it('[WS-LATER-7] [WS-LATER-3] leaves a dead letter when it is due and its room is gone', async () => {
    const [{ roomId }] = (await project.client.get(`/apps/${appId}/rooms`)).body;
    const { scheduledId } = (await publish({ topic, data: 1, deliverAt: inMs(4_000) })).body;
    expect((await project.client.delete(`/apps/${appId}/rooms/${roomId}`)).status).to.equal(204);
    await eventually(async () => (await deadLetters()).length > 0, { withinMs: 20_000 });
    const [entry, ...others] = await deadLetters();
    expect(others).to.deep.equal([]);
    expect(entry).to.include({ kind: 'schedule', scheduledId, error: 'unknown_topic', status: 'failed' });
    // [HOOK-DLQ-3] What was to be sent is gone with the room.
    await eventually(async () => (await deadLetters())[0]?.['payloadExpired'] === true);
    expect((await listed()).data).to.deep.equal([]);
  });

  it('[WS-LATER-7] [WS-LATER-3] leaves a dead letter when it is due and its actor is gone', async () => {
    const { actorTokenId } = await actorOf(project.client);
    const { body } = await publish({ topic, data: 'late', deliverAt: inMs(4_000), as: actorTokenId });
    const deleted = await project.client.delete(`/actors/${actorTokenId}`);
    expect(deleted.status).to.equal(204);
    expect((await listed()).data).to.have.length(1);
    await eventually(async () => (await deadLetters()).length > 0, { withinMs: 20_000 });
    const [entry] = await deadLetters();
    expect(entry).to.include({ scheduledId: body.scheduledId, error: 'unknown_actor', kind: 'schedule' });
    expect(entry?.['requestBody']).to.include({ data: 'late', actorId: actorTokenId });
  });
});
