import { expect } from 'chai';
import { connect } from '@roomwire/sdk';
import { createServer, createToken, verifyWebhook } from '@roomwire/server';
import { eventually } from '@roomwire/testing/run/eventually';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { startTestService, type TestService } from '../../support/testService.js';

describe('the library for backends', () => {
  let service: TestService;
  let endpoint: WebhookEndpoint;

  before(async () => void (service = await startTestService({ webhookAllowPrivate: true })));
  after(() => service.close());
  beforeEach(async () => void (endpoint = await WebhookEndpoint.open()));
  afterEach(() => endpoint.close());

  it('makes an app, signs a token, publishes and verifies the webhook that follows', async () => {
    const { organizationId, projectId, apiKey, sessionToken } = service.credentials;
    const { publish, rest } = createServer({ url: service.baseUrl, apiKey });
    const organization = createServer({ url: service.baseUrl, apiKey: sessionToken }).rest;
    const path = { orgId: organizationId, projectId };
    const secrets = '/organizations/{orgId}/projects/{projectId}/webhook-secrets';
    const { data: secret } = await organization.POST(secrets, {
      params: { path },
      body: { name: 'backend' },
    });

    const body = { name: 'Desk', topics: ['chat'], triggerWebhook: { url: endpoint.url } };
    const { data: app } = await rest.POST('/apps', { body });
    await rest.POST('/apps/{appId}/rooms', {
      params: { path: { appId: app?.appId ?? '' } },
      body: { name: 'lobby' },
    });
    const { data: actor } = await rest.POST('/actors', { body: { name: 'Ann', actorType: 'user' } });
    const { data: key } = await rest.POST('/signing-keys', { body: { name: 'backend' } });
    const token = await createToken({ signingKey: key?.signingKey ?? '', actor: actor?.keyId ?? '' });

    const client = connect({ url: service.socketUrl, token, reconnect: false });
    const got: unknown[] = [];
    const topic = `${app?.slug}/lobby/chat`;
    await client.subscribe(topic, ({ data }) => void got.push(data));
    const data = { text: 'hi', count: 7 };
    const { id } = await publish({ topic, data, trigger: true, id: 'order-1' });
    expect(id).to.equal('order-1');
    expect(await publish({ topic, data, id: 'order-1' })).to.include({ duplicate: true });
    const [second, third] = await publish([
      { topic, data: 2 },
      { topic: 'no/such/topic', data: 3 },
    ]);
    expect([second, third]).to.have.nested.property('[1].error', 'unknown_topic');
    await eventually(() => got.length === 2);
    expect(got).to.eql([data, 2]);

    await eventually(() => endpoint.received.length === 1, { withinMs: 10_000 });
    const [received] = endpoint.received;
    const call = verifyWebhook(secret?.webhookSecret ?? '', received?.headers ?? {}, received?.text ?? '');
    expect(call.body).to.deep.include({ roomName: 'lobby', data: { text: 'hi', count: 7 } });
    await client.close();
  });
});
