import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { appWithRoom, joinAsActor } from '../../support/hookedApp.js';
import { startTestService, type TestService } from '../../support/testService.js';
import { TraceCollector } from '../../support/traceCollector.js';

/** Of a caller that traces, and keeps the trace or not. */
const callersTrace = (isKept = true) => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-0${isKept ? 1 : 0}` };
};

describe('traces', () => {
  let service: TestService;
  let collector: TraceCollector;
  const clients: Client[] = [];

  before(async () => {
    collector = await TraceCollector.open();
    const url = `${collector.endpoint}/v1/traces`;
    const tracing = { url, sampler: 'parentbased_always_on', ratio: 0, delayMs: 100 } as const;
    service = await startTestService({ tracing, webhookAllowPrivate: true });
  });
  after(async () => {
    await service.close();
    await collector.close();
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const createApp = (traceparent: string, body: object = { name: 'traced', topics: ['chat'] }) =>
    service.project.send('/apps', {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent },
      body: JSON.stringify(body),
    });
  const join = async (): Promise<Client> => {
    const { client } = await joinAsActor(service);
    clients.push(client);
    return client;
  };

  it('follow a command of a traced caller from REST to the read models', async () => {
    const { traceId, spanId, traceparent } = callersTrace();
    expect((await createApp(traceparent)).status).to.equal(201);
    const names = ['POST /v1/apps', 'append events', 'wait for read models', 'project AppCreated'];
    const [request, append, wait, project] = await collector.found(
      () => collector.ofTrace(traceId),
      ...names,
    );
    expect(request).to.include({ parentSpanId: spanId, kind: 2 });
    expect(request?.attributes).to.include({
      'http.request.method': 'POST',
      'http.route': '/v1/apps',
      'http.response.status_code': 201,
    });
    expect(append).to.include({ parentSpanId: request?.spanId, kind: 1 });
    expect(wait).to.include({ parentSpanId: request?.spanId, kind: 1 });
    expect(project).to.include({ parentSpanId: append?.spanId, kind: 5 });
    expect(project?.startedAt ?? 0n).to.satisfy((at: bigint) => at >= (append?.startedAt ?? at + 1n));
    for (const span of [request, append, wait, project]) expect(span?.status ?? 0).to.equal(0);
  });

  it('follow a message from its publish to its delivery', async () => {
    const app = (await service.project.post('/apps', { name: 'chat', topics: ['chat'] })).body;
    await service.project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
    const topic = `${app.slug}/lobby/chat`;
    const [reader, writer] = [await join(), await join()];
    const received: unknown[] = [];
    await reader.subscribe(topic, ({ data }) => void received.push(data));
    await writer.publish(topic, 'a payload that nobody else sees');
    await eventually(() => received.length === 1, { withinMs: 15_000 });
    const [publish] = await collector.found(() => collector.spans, 'publish');
    const { traceId = '', spanId } = publish ?? {};
    const [deliver] = await collector.found(() => collector.ofTrace(traceId), 'deliver');
    expect(publish).to.include({ parentSpanId: '', kind: 4 });
    expect(publish?.attributes).to.include({ 'roomwire.project_id': service.credentials.projectId });
    expect(deliver).to.include({ parentSpanId: spanId, kind: 5 });
    expect(Number(deliver?.attributes['roomwire.deliveries'])).to.equal(1);
    expect(deliver?.startedAt ?? 0n).to.satisfy((at: bigint) => at >= (publish?.startedAt ?? at + 1n));
  });

  describe('of a publish with a webhook', () => {
    let endpoint: WebhookEndpoint;
    beforeEach(async () => void (endpoint = await WebhookEndpoint.open()));
    afterEach(() => endpoint.close());

    const publishTo = async (name: string) => {
      const topicConfigs = { chat: { webhooks: { onPublish: { url: endpoint.url } } } };
      const { appId, topic } = await appWithRoom(service.project, { name, topicConfigs });
      const writer = await join();
      await writer.publish(topic, 'a payload for the webhook');
      const calls = () =>
        collector.spans.filter(
          ({ name: span, attributes }) => span === 'call webhook' && attributes['roomwire.app_id'] === appId,
        );
      await collector.found(calls, 'call webhook');
      return { calls, webhookId: String(endpoint.received[0]?.headers['webhook-id']) };
    };

    it('include the call', async () => {
      const { calls, webhookId } = await publishTo('hooked');
      const [call] = calls();
      const [publish] = await collector.found(() => collector.ofTrace(call?.traceId ?? ''), 'publish');
      expect(call).to.include({ parentSpanId: publish?.spanId, kind: 3 });
      expect(call?.attributes).to.include({
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'roomwire.webhook_id': webhookId,
      });
      expect(endpoint.received[0]?.headers).to.not.have.property('traceparent');
      expect(collector.received).to.not.include(endpoint.url);
    });

    it('include the redrive that an operator requested', async () => {
      endpoint.reaction = reactions.answer(404);
      const { calls, webhookId } = await publishTo('redriven');
      const path = `/organizations/${service.credentials.organizationId}/webhook-dlq/${webhookId}`;
      await eventually(async () => (await service.operator.get(path)).status === 200);
      const { traceId, traceparent } = callersTrace();
      await service.operator.send(`${path}/redrive`, { method: 'POST', headers: { traceparent } });
      await collector.found(() => collector.ofTrace(traceId), 'call webhook');
      expect(calls()).to.have.length(2);
      expect(calls()[0]?.status).to.equal(2);
    });
  });

  it('record nothing that the caller does not sample', async () => {
    const [dropped, kept] = [callersTrace(false), callersTrace()];
    await createApp(dropped.traceparent);
    await createApp(kept.traceparent);
    await collector.found(() => collector.ofTrace(kept.traceId), 'project AppCreated');
    expect(collector.ofTrace(dropped.traceId)).to.eql([]);
  });

  it('start a new trace where the header of the caller is invalid', async () => {
    await createApp('00-0-0-00', { name: 7 });
    const find = () =>
      collector.spans.find(({ attributes }) => attributes['http.response.status_code'] === 400);
    await eventually(() => find() !== undefined, { withinMs: 20_000 });
    const refused = find();
    expect(refused).to.include({ parentSpanId: '' });
    // A bad request is the caller's error.
    expect(refused?.status ?? 0).to.equal(0);
  });

  // After all others.
  describe('every span', () => {
    it('is exported as JSON, under the name of the service, without a secret or a payload', async () => {
      expect([...collector.paths]).to.eql(['POST /v1/traces application/json']);
      expect(new Set(collector.spans.map((span) => span.service))).to.eql(new Set(['roomwire']));
      const { apiKey, sessionToken } = service.credentials;
      for (const secret of [apiKey, sessionToken, 'at_live_', 'ak_live_', 'a payload', '/lobby/'])
        expect(collector.received).to.not.include(secret);
    });
  });
});
