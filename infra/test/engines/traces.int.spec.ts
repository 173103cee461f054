import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import type { ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';
import { TraceCollector } from '../support/traceCollector.js';

describe('traces over many processes on engines', function () {
  this.timeout(120_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let collector: TraceCollector;
  let endpoint: WebhookEndpoint;
  const clients: Client[] = [];

  before(async () => {
    engines = await enginesOfTheRun();
    collector = await TraceCollector.open();
    endpoint = await WebhookEndpoint.open();
    cluster = await startCluster(engines);
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await cluster.close();
    await engines.close();
    await collector.close();
    await endpoint.close();
  });

  const add = (
    service: Member['service'],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Member> =>
    cluster.add(service, {
      ...settings,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
  const join = async (project: ApiClient, { socketUrl }: Member): Promise<Client> => {
    const { body } = await project.post('/actors', { name: 'x', actorType: 'user' });
    const client = connect({ url: socketUrl, token: body.accessToken, reconnect: false });
    clients.push(client);
    await client.ready();
    return client;
  };

  it('span the processes: one trace from REST to read model, and one from publish to delivery', async () => {
    const [api, near, far] = await Promise.all([
      add('command-api'),
      add('gateway'),
      add('gateway'),
      add('projections'),
      add('webhook-consumer', { ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true' }),
    ]);
    const [project] = (await cluster.newProject({}, api)).clients as [ApiClient];
    const topicConfigs = { chat: { webhooks: { onPublish: { url: endpoint.url } } } };
    const { appId, slug } = (await project.post('/apps', { name: 'app', topics: ['chat'], topicConfigs }))
      .body;
    await project.post(`/apps/${appId}/rooms`, { name: 'hall' });
    const [request] = await collector.found(() => collector.spans, 'POST /v1/apps');
    const ofRequest = () => collector.ofTrace(request?.traceId ?? '');
    const [append, projected] = await collector.found(ofRequest, 'append events', 'project AppCreated');
    expect(append).to.include({ service: 'roomwire-command-api', parentSpanId: request?.spanId });
    expect(projected).to.include({ service: 'roomwire-projections', parentSpanId: append?.spanId });

    const [writer, reader] = [await join(project, near), await join(project, far)];
    const received: unknown[] = [];
    await reader.subscribe(`${slug}/hall/chat`, ({ data }) => void received.push(data));
    await writer.publish(`${slug}/hall/chat`, 'one');
    await eventually(() => received.length === 1, { withinMs: 15_000 });
    const [publish] = await collector.found(() => collector.spans, 'publish');
    const [deliver] = await collector.found(() => collector.ofTrace(publish?.traceId ?? ''), 'deliver');
    expect(deliver).to.include({ service: 'roomwire-gateway', parentSpanId: publish?.spanId });
    const [call] = await collector.found(() => collector.ofTrace(publish?.traceId ?? ''), 'call webhook');
    expect(call).to.include({ service: 'roomwire-webhook-consumer', parentSpanId: publish?.spanId });
    expect(collector.received).to.include('deployment.environment.name');
  });
});
