import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { actorOf, appWithRoom, joinAsActor } from '../../support/hookedApp.js';
import { startTestService, type TestService } from '../../support/testService.js';

const { answer, inTurn } = reactions;

describe('webhooks', () => {
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

  const newApp = (fields: object) => appWithRoom(service.project, fields);
  const newActor = (fields: object = {}) => actorOf(service.project, fields);
  const join = async (fields: object = {}) => {
    const joined = await joinAsActor(service, fields);
    clients.push(joined.client);
    return joined;
  };
  const received = (count: number, withinMs = 10_000): Promise<void> =>
    eventually(() => endpoint.received.length >= count, { what: `${count} calls`, withinMs });
  const queue = () => `/organizations/${service.credentials.organizationId}/webhook-dlq`;

  it('[HOOK-BODY-1] notify the backend of a publish', async () => {
    const { topic } = await newApp({ triggerWebhook: { url: endpoint.url, headers: { 'X-Key': 'k' } } });
    const { client, actorTokenId } = await join();
    await client.publish(topic, { text: 'hi', blob: Uint8Array.of(1, 2), nan: NaN });
    await received(1);
    expect(endpoint.received[0]?.headers).to.include({ 'x-key': 'k' });
    expect(endpoint.received[0]?.json).to.eql({
      roomName: 'lobby',
      topicName: 'chat',
      actorId: actorTokenId,
      data: { text: 'hi', blob: 'AQI=', nan: null },
      scope: null,
    });
  });

  it('[HOOK-TRIGGER-1] name the scope of the actor', async () => {
    const { topic } = await newApp({ triggerWebhook: { url: endpoint.url } });
    const { accessScopeId } = (await service.project.post('/scopes', { slug: 'acme', name: 'Acme' })).body;
    const { client } = await join({ accessScopeId });
    await client.publish(topic, 1);
    await received(1);
    expect((endpoint.received[0]?.json as { scope: unknown }).scope).to.eql({
      accessScopeId,
      slug: 'acme',
      name: 'Acme',
    });
  });

  it('[HOOK-CONF-2] use the current configuration for connections that are already open', async () => {
    const { appId, topic } = await newApp({});
    const { client } = await join();
    await client.publish(topic, 'before');
    await service.project.patch(`/apps/${appId}`, { triggerWebhook: { url: endpoint.url } });
    await eventually(async () => {
      await client.publish(topic, 'after');
      return endpoint.received.length > 0;
    });
    const own = await WebhookEndpoint.open();
    const topicConfigs = { chat: { webhooks: { onPublish: { url: own.url } } } };
    await service.project.patch(`/apps/${appId}`, { topicConfigs });
    await eventually(async () => {
      await client.publish(topic, 'own');
      return own.received.length > 0;
    });
    expect(endpoint.received.map(({ json }) => (json as { data: unknown }).data)).not.to.include('before');
    await own.close();
  });

  it('[HOOK-RETRY-3] [HOOK-DLQ-2] wait 1 s and 2 s, and become a dead letter within a second of the third failure', async () => {
    endpoint.reaction = answer(503);
    const { appId, topic } = await newApp({
      triggerWebhook: { url: `${endpoint.url}?q=1`, headers: { 'X-Key': 'k' } },
    });
    const { client, actorTokenId } = await join();
    await client.publish(topic, { text: 'lost' });
    await received(3);
    const [first = 0, second = 0, third = 0] = endpoint.received.map(({ at }) => at);
    expect(second - first, 'the first wait').to.be.within(1_000, 1_900);
    expect(third - second, 'the second wait').to.be.within(2_000, 2_900);
    const dlqId = String(endpoint.received[0]?.headers['webhook-id']);
    const path = `${queue()}/${dlqId}`;
    await eventually(async () => (await service.operator.get(path)).status === 200, { withinMs: 1_000 });
    const entry = (await service.operator.get(path)).body;
    expect(entry).to.deep.include({
      dlqId,
      organizationId: service.credentials.organizationId,
      projectId: service.credentials.projectId,
      appId,
      kind: 'trigger',
      url: `${endpoint.url}?q=1`,
      requestHeaders: { 'X-Key': 'k' },
      requestBody: {
        roomName: 'lobby',
        topicName: 'chat',
        actorId: actorTokenId,
        data: { text: 'lost' },
        scope: null,
      },
      responseStatus: 503,
      error: 'The endpoint answered 503',
      retryCount: 2,
      status: 'pending',
    });
    expect(endpoint.received).to.have.lengthOf(3);
  });

  it('[HOOK-RETRY-4] [HOOK-DLQ-1] become dead letters at once when they are refused', async () => {
    endpoint.reaction = answer(404);
    const { topic } = await newApp({ triggerWebhook: { url: endpoint.url } });
    const { client } = await join();
    await client.publish(topic, 'x'.repeat(900_000));
    await received(1);
    const path = `${queue()}/${String(endpoint.received[0]?.headers['webhook-id'])}`;
    await eventually(async () => (await service.operator.get(path)).status === 200);
    const { body } = await service.operator.get(path);
    expect(body).to.include({ status: 'failed', retryCount: 0, responseStatus: 404 });
    expect(body.requestBody.data).to.have.lengthOf(900_000);
    expect(endpoint.received).to.have.lengthOf(1);
  });

  it('[HOOK-HYDRATE-3] hydrate the new subscriber only', async () => {
    endpoint.reaction = (response, { json }) => response.end(JSON.stringify({ hello: json }));
    const { topic } = await newApp({ hydrationWebhook: { url: endpoint.url } });
    const alice = await FrameClient.join(service.socketUrl, (await newActor()).accessToken);
    const bob = await newActor();
    const other = await FrameClient.join(service.socketUrl, bob.accessToken);
    alice.send({ type: 'subscribe', topic });
    expect(await alice.next()).to.include({ type: 'subscribed' });
    expect(await alice.next()).to.deep.include({ type: 'hydration', topic: 'chat' });
    other.send({ type: 'subscribe', topic });
    expect(await other.next()).to.include({ type: 'subscribed' });
    expect(await other.next()).to.eql({
      type: 'hydration',
      topic: 'chat',
      data: { hello: { actorId: bob.actorTokenId, roomName: 'lobby', topicName: 'chat', scope: null } },
    });
    other.send({ type: 'publish', topic, data: 'marker' });
    expect(await alice.next()).to.include({ type: 'message', data: 'marker' });
    alice.terminate();
    other.terminate();
  });

  it('[HOOK-HYDRATE-4] send nothing to the subscriber, and leave no dead letter, when a hydration fails', async () => {
    endpoint.reaction = inTurn(answer(200, '<html>'), answer(404, '{}'), answer(200, '{"third":1}'));
    const before = (await service.operator.get(queue())).body.pagination.total;
    const { topic } = await newApp({ hydrationWebhook: { url: endpoint.url } });
    const alice = await FrameClient.join(service.socketUrl, (await newActor()).accessToken);
    for (let call = 1; call <= 3; call += 1) {
      alice.send({ type: 'subscribe', topic });
      expect(await alice.next()).to.include({ type: 'subscribed' });
      await received(call);
    }
    expect(await alice.next()).to.deep.include({ type: 'hydration', data: { third: 1 } });
    expect((await service.operator.get(queue())).body.pagination.total).to.equal(before);
    alice.terminate();
  });

  it('[HOOK-SIGN-2] are signed once the project has a secret, and with both secrets while there are two', async () => {
    const { organizationId, projectId } = service.credentials;
    const secrets = `/organizations/${organizationId}/projects/${projectId}/webhook-secrets`;
    const { topic } = await newApp({ triggerWebhook: { url: endpoint.url } });
    const { client } = await join();
    const signaturesOf = async (count: number): Promise<unknown> => {
      let signatures: readonly string[] = [];
      await eventually(async () => {
        const before = endpoint.received.length;
        await client.publish(topic, 'x');
        await received(before + 1);
        const { headers, text } = endpoint.received[before] ?? expect.fail();
        signatures = String(headers['webhook-signature'] ?? '')
          .split(' ')
          .filter(Boolean);
        signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
        return signatures.length === count;
      });
      return signatures;
    };
    let signed = '';
    const signatureBy = (secret: string): string => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    };
    expect(await signaturesOf(0)).to.eql([]);
    const old = (await service.operator.post(secrets, { name: 'Old' })).body;
    expect(old.webhookSecret).to.match(/^whsec_[A-Za-z0-9+/]{56}$/);
    expect(await signaturesOf(1)).to.eql([signatureBy(old.webhookSecret)]);
    const { webhookSecret } = (await service.operator.post(secrets, { name: 'New' })).body;
    expect(await signaturesOf(2)).to.eql([signatureBy(old.webhookSecret), signatureBy(webhookSecret)]);
    expect((await service.operator.post(secrets, { name: 'Third' })).status).to.equal(409);
    const { body } = await service.operator.get(secrets);
    expect(body.data).to.have.lengthOf(2);
    expect(JSON.stringify(body)).not.to.match(/whsec_|sealed|cipher/);
    await service.operator.delete(`${secrets}/${old.webhookSecretId}`);
    expect(await signaturesOf(1)).to.eql([signatureBy(webhookSecret)]);
  });
});
