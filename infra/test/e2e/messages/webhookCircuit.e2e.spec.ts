import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { organizationTarget } from '@roomwire/command-api/organizations/decider';
import { projectTarget } from '@roomwire/command-api/projects/decider';
import { webhookCircuitTarget } from '@roomwire/command-api/webhook-circuits/decider';
import { connect } from '@roomwire/sdk';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import { circuitIdOf } from '@roomwire/shared/wire/webhooks/circuitId';
import { eventually } from '@roomwire/testing/run/eventually';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { executeOn, withStores } from '../../support/eventLogAccess.js';
import { actorOf, appWithRoom } from '../../support/hookedApp.js';
import { startTestService, type TestService } from '../../support/testService.js';

const [organizationId, projectId] = [randomUUID(), randomUUID()];

describe('the circuit of a webhook, through the whole service', function () {
  this.timeout(60_000);
  let service: TestService;
  let endpoint: WebhookEndpoint;

  before(async () => {
    endpoint = await WebhookEndpoint.open();
    const { url } = endpoint;
    const circuit = { circuitId: circuitIdOf(projectId, url), organizationId, projectId, url, calls: 50 };
    // It was opened before the service started.
    service = await startTestService({ webhookAllowPrivate: true }, (config) =>
      withStores(config, async (stores) => {
        const execute = executeOn(await stores.log(), { organizationId, projectId });
        await execute(organizationTarget(organizationId), {
          type: 'CreateOrganization',
          organization: { organizationId, name: 'O', plan: unlimitedPlan },
        });
        await execute(projectTarget(projectId), {
          type: 'CreateProject',
          project: { projectId, organizationId, name: 'P' },
        });
        await execute(webhookCircuitTarget(circuit.circuitId), { type: 'OpenWebhookCircuit', circuit });
      }),
    );
  });
  after(async () => {
    await service.close();
    await endpoint.close();
  });

  it('[HOOK-CIRCUIT-1] [HOOK-CIRCUIT-2] is known after a start, and closed by the 2xx of a call that waited', async () => {
    const keys = `/organizations/${organizationId}/projects/${projectId}/api-keys`;
    const project = service.client((await service.operator.post(keys, { name: 'K' })).body.apiKey as string);
    const { topic } = await appWithRoom(project, { triggerWebhook: { url: endpoint.url } });
    const { accessToken } = await actorOf(project);
    const client = connect({ url: service.socketUrl, token: accessToken, reconnect: false });
    await client.ready();
    for (let n = 0; n < 5; n += 1) await client.publish(topic, n);
    await client.close();
    const told = async (): Promise<readonly { type: string; principal: string }[]> =>
      (await service.operator.get(`/organizations/${organizationId}/audit?limit=100`)).body.data;
    const circuitEvents = async () =>
      (await told()).filter(({ type }) => type.startsWith('WebhookCircuit')).map(({ type }) => type);
    expect(endpoint.received).to.eql([]);
    expect(await circuitEvents()).to.eql(['WebhookCircuitOpened']);
    await eventually(() => endpoint.received.length >= 5, { what: 'all calls', withinMs: 30_000 });
    const numbers = endpoint.received.map(({ json }) => (json as { data: number }).data);
    expect([...numbers].sort()).to.eql([0, 1, 2, 3, 4]);
    await eventually(async () => (await circuitEvents()).length === 2, { withinMs: 10_000 });
    expect(await circuitEvents()).to.have.members(['WebhookCircuitClosed', 'WebhookCircuitOpened']);
  });
});
