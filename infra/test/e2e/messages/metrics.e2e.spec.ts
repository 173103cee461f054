import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Client } from '@roomwire/sdk';
import { metricTable } from '@roomwire/shared/wire/metrics/metricTable';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { freePort } from '@roomwire/testing/run/freePort';
import { joinAsActor } from '../../support/hookedApp.js';
import { scrape, type Scrape } from '../../support/scrape.js';
import { startTestService, type TestService } from '../../support/testService.js';

describe('metrics, as a collector scrapes them', () => {
  let service: TestService;
  let endpoint: WebhookEndpoint;
  let url: string;
  const clients: Client[] = [];

  before(async () => {
    const opsPort = await freePort();
    url = `http://127.0.0.1:${opsPort}/metrics`;
    service = await startTestService({ opsPort, isOpsPortGiven: true, webhookAllowPrivate: true });
    endpoint = await WebhookEndpoint.open();
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await service.close();
    await endpoint.close();
  });

  const shown = (): Promise<Scrape> => scrape(url);
  /** Waits for a value, which work behind the answers brings about. */
  const becomes = (name: string, labels: Readonly<Record<string, string>>, value: number): Promise<void> =>
    eventually(async () => (await shown()).sum(name, labels) === value, { withinMs: 15_000, what: name });
  const join = async (): Promise<Client> => {
    const { client } = await joinAsActor(service);
    clients.push(client);
    return client;
  };

  it('include every declared metric, and no undeclared metric of Roomwire', async () => {
    const { types, samples } = await shown();
    // The analytics are a separate process.
    const declared = Object.entries(metricTable).filter(([, { from }]) => from !== 'analytics');
    for (const [name, { type }] of declared) expect(types.get(name), name).to.equal(type);
    const ours = samples.map(({ name }) => name).filter((name) => name.startsWith('roomwire_'));
    for (const name of ours)
      expect(Object.keys(metricTable)).to.include(name.replace(/_(?:bucket|sum|count)$/, ''));
    expect(types.get('nodejs_eventloop_lag_p99_seconds')).to.equal('gauge');
  });

  it('have the declared labels', async () => {
    for (const { name, labels } of (await shown()).samples) {
      const declared = Object.entries(metricTable).find(([known]) => known === name)?.[1];
      if (declared) expect(Object.keys(labels), name).to.have.members([...declared.labels]);
    }
  });

  it('label requests by the template of their path, whatever was sent', async () => {
    const secret = randomUUID();
    await service.project.get(`/apps/${secret}`);
    await service.project.get(`/apps/${randomUUID()}`);
    await service.project.get(`/apps/not-an-id?key=${secret}`);
    await service.project.post('/apps', {});
    await fetch(`${service.baseUrl}/v1/apps/${secret}`, { method: 'PUT' });
    const count = 'roomwire_http_request_duration_seconds_count';
    const { sum, samples } = await shown();
    expect(sum(count, { method: 'GET', route: '/v1/apps/{appId}', status: '404' })).to.equal(2);
    expect(sum(count, { method: 'GET', route: '/v1/apps/{appId}', status: '400' })).to.equal(1);
    expect(sum(count, { method: 'POST', route: '/v1/apps', status: '400' })).to.equal(1);
    expect(sum(count, { method: 'other', route: '/v1/apps/{appId}', status: '405' })).to.equal(1);
    expect(sum('roomwire_http_requests_in_flight')).to.equal(0);
    expect(JSON.stringify(samples)).to.not.include(secret);
  });

  it('follow a message and its webhook from end to end', async () => {
    endpoint.reaction = reactions.answer(404);
    const before = await shown();
    const app = (
      await service.project.post('/apps', {
        name: 'measured',
        topics: ['chat'],
        triggerWebhook: { url: endpoint.url },
      })
    ).body;
    await service.project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
    const topic = `${app.slug}/lobby/chat`;
    const [reader, writer] = [await join(), await join()];
    const received: unknown[] = [];
    await reader.subscribe(topic, ({ data }) => void received.push(data));
    await writer.publish(topic, 'one');
    await eventually(() => received.length === 1, { withinMs: 15_000 });
    const { sum } = await shown();
    expect(sum('roomwire_publishes_total')).to.equal(1);
    expect(sum('roomwire_deliveries_total')).to.equal(1);
    expect(sum('roomwire_connections_open')).to.equal(2);
    expect(sum('roomwire_webhook_calls_total')).to.equal(1);
    await becomes('roomwire_webhook_attempts_total', { kind: 'trigger', outcome: '4xx' }, 1);
    await becomes('roomwire_webhook_dead_letters_total', {}, 1);
    await becomes('roomwire_bus_lag_records', { topic: 'webhook-calls' }, 0);
    await becomes('roomwire_projection_lag_events', { projection: 'read-models' }, 0);
    await becomes('roomwire_projection_lag_seconds', { projection: 'audit-index' }, 0);
    const projected = (of: Scrape): number => of.sum('roomwire_projected_events_total') ?? 0;
    // The app, its room, two actors and the dead letter.
    await eventually(async () => projected(await shown()) - projected(before) >= 5, { withinMs: 30_000 });
    const after = await shown();
    expect(after.sum('roomwire_projection_leader')).to.equal(1);
    expect(after.sum('roomwire_bus_reachable')).to.equal(1);
    const read = after.sum('roomwire_bus_records_read_total', { topic: 'messages' });
    if (process.env['ROOMWIRE_TEST_PROFILE'] === 'distributed') expect(read).to.be.at.least(1);
    else expect(read).to.equal(undefined);
    expect(after.sum('roomwire_scrape_failures_total')).to.equal(0);
  });
});
