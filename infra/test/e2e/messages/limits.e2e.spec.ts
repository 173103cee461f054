import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';
import { errorOf, reasonOfClose } from '../../support/sdkClients.js';

/** Beyond the 5 seconds within which the usage is true, so that a slow machine does not fail it. */
const withinMs = 10_000;

describe('limits of the plan, from REST to the socket', () => {
  let service: TestService;
  const clients: Client[] = [];

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const newTopic = async ({ client }: TestProject): Promise<string> => {
    const app = (await client.post('/apps', { name: 'world', topics: ['chat'] })).body;
    await client.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
    return `${app.slug}/lobby/chat`;
  };
  const join = async (project: TestProject): Promise<Client> => {
    const { accessToken } = (await project.client.post('/actors', { name: 'x', actorType: 'user' })).body;
    const client = connect({ url: service.socketUrl, token: accessToken, reconnect: false });
    clients.push(client);
    await client.ready();
    return client;
  };
  const changePlan = async ({ organizationId }: TestProject, plan: object): Promise<void> => {
    const { status } = await service.operator.patch(`/organizations/${organizationId}`, { plan });
    expect(status).to.equal(200);
  };
  const usage = async ({ organizationId }: TestProject) =>
    (await service.operator.get(`/organizations/${organizationId}/usage`)).body;
  const plan = (limits: object) => ({
    maxApps: null,
    maxConnections: null,
    monthlyMessages: null,
    ...limits,
  });

  it('[WS-AUTH-12] [WS-AUTH-13] connections: one above the limit is refused, and a lowered plan closes the newest', async () => {
    const project = await service.newProject(plan({ maxConnections: 2 }));
    const [first, second] = [await join(project), await join(project)];
    expect(await errorOf(join(project))).to.equal('connection_limit_reached');
    const closed = reasonOfClose(second);
    await changePlan(project, plan({ maxConnections: 1 }));
    expect(await closed).to.include({ closeCode: 4002, closeReason: 'connection_limit_reached' });
    expect(first.state.name).to.equal('connected');
  });

  it('[WS-PUB-9] messages: refused above the quota, until the plan is raised', async () => {
    const project = await service.newProject(plan({ monthlyMessages: 2 }));
    const topic = await newTopic(project);
    const client = await join(project);
    await client.publish(topic, 1);
    await client.publish(topic, 2);
    expect(await errorOf(client.publish(topic, 3))).to.equal('monthly_quota_exceeded');
    await changePlan(project, plan({ monthlyMessages: 3 }));
    await eventually(async () => (await errorOf(client.publish(topic, 3))) === 'none');
    expect(await errorOf(client.publish(topic, 4))).to.equal('monthly_quota_exceeded');
  });

  it('GET /usage shows the messages of the month, the connections and the apps', async () => {
    const limits = plan({ maxApps: 5, monthlyMessages: 1_000 });
    const project = await service.newProject(limits);
    const { projectId } = project;
    const nothing = await usage(project);
    expect(nothing).to.deep.equal({
      month: new Date().toISOString().slice(0, 7),
      messages: [{ projectId, messages: 0 }],
      connections: 0,
      apps: [{ projectId, apps: 0 }],
      plan: limits,
    });
    const topic = await newTopic(project);
    const [one, two] = [await join(project), await join(project)];
    for (let n = 0; n < 7; n++) await one.publish(topic, n);
    const isTrue = async (connections: number): Promise<boolean> => {
      const now = await usage(project);
      return now.connections === connections && now.messages[0].messages === 7 && now.apps[0].apps === 1;
    };
    await eventually(() => isTrue(2), { withinMs });
    await two.close();
    await eventually(() => isTrue(1), { withinMs });
  });

  it('GET /usage is available to sessions of the organization only', async () => {
    const { organizationId, client } = await service.newProject();
    expect((await client.get(`/organizations/${organizationId}/usage`)).status).to.equal(401);
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await service.operator.get(`/organizations/${unknown}/usage`)).status).to.equal(404);
  });
});
