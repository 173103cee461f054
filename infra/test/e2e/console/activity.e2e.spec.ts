import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { actorOf } from '../../support/hookedApp.js';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';

interface Minute {
  readonly at: string;
  readonly [field: string]: string | number | null;
}

describe('the activity of a project', function () {
  // What happens in a minute is told at its end.
  this.timeout(150_000);
  let service: TestService;
  let owner: TestProject;
  const clients: Client[] = [];

  before(async () => {
    service = await startTestService();
    owner = await service.newProject();
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await service.close();
  });

  const activity = async (query = ''): Promise<readonly Minute[]> => {
    const { organizationId, projectId } = owner;
    const path = `/organizations/${organizationId}/projects/${projectId}/activity${query}`;
    const { status, body } = await service.operator.get(path);
    expect(status).to.equal(200);
    return body.data;
  };

  it('has a row for each whole minute, not known before somebody counted', async () => {
    const minutes = await activity();
    expect(minutes).to.have.length(60);
    const times = minutes.map(({ at }) => Date.parse(at));
    times.reduce((one, other) => {
      expect(other - one).to.equal(60_000);
      return other;
    });
    const [oldest] = minutes;
    expect(oldest).to.include({
      connections: null,
      messagesIn: null,
      webhookCallsFailed: null,
      refusals: null,
    });
    expect(await activity('?minutes=100000')).to.have.length(360);
    expect(await activity('?minutes=0')).to.have.length(1);
  });

  it('tells what was published and delivered, and who is connected', async () => {
    const { slug, appId } = (await owner.client.post('/apps', { name: 'house', topics: ['chat'] })).body;
    await owner.client.post(`/apps/${appId}/rooms`, { name: 'hall' });
    const topic = `${slug}/hall/chat`;
    let received = 0;
    for (let at = 0; at < 2; at += 1) {
      const { accessToken: token } = await actorOf(owner.client);
      const client = connect({ url: service.socketUrl, token, reconnect: false });
      clients.push(client);
      await client.subscribe(topic, () => void (received += 1));
    }
    for (let at = 0; at < 3; at += 1) await owner.client.post('/publish', { topic, data: at });
    await eventually(() => received === 6);
    const sumOf = async (field: string): Promise<number> =>
      (await activity()).reduce((sum, minute) => sum + Number(minute[field] ?? 0), 0);
    await eventually(async () => (await sumOf('messagesIn')) === 3, { withinMs: 90_000 });
    expect(await sumOf('messagesOut')).to.equal(6);
    await eventually(async () => (await activity()).at(-1)?.['connections'] === 2, { withinMs: 90_000 });
  });
});
