import { expect } from 'chai';
import { connect } from '@roomwire/sdk';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { apiClient, type ApiClient } from '../../support/apiClient.js';
import { startProgram, stop, type RunningService } from '../../support/program.js';

const sessionSecret = Buffer.alloc(32, 9);
const quiet = {
  ROOMWIRE_LOG_LEVEL: 'error',
  ROOMWIRE_REST_RATE: '0',
  ROOMWIRE_PUBLISH_RATE: '0',
  ROOMWIRE_SESSION_SECRET: sessionSecret.toString('base64'),
};
const { answer, never } = reactions;

describe('[HOOK-LOSS-1] a webhook call survives its process', function () {
  this.timeout(120_000);
  let folder: TemporaryFolder;
  let endpoint: WebhookEndpoint;
  let service: RunningService;
  let topic: string;
  let token: string;
  let published = 0;

  before(async () => {
    folder = await temporaryFolder();
    endpoint = await WebhookEndpoint.open();
    service = await startProgram(folder.path, quiet);
    const { project } = service;
    const fields = { name: 'a', topics: ['chat'], triggerWebhook: { url: endpoint.url } };
    const app = (await project.post('/apps', fields)).body;
    await project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
    topic = `${app.slug}/lobby/chat`;
    token = (await project.post('/actors', { name: 'x', actorType: 'user' })).body.accessToken;
  });
  after(async () => {
    await stop(service, 'SIGKILL');
    await endpoint.close();
    await folder.remove();
  });
  beforeEach(() => void (endpoint.received.length = 0));

  const publish = async (count = 1): Promise<readonly number[]> => {
    const client = connect({ url: service.socketUrl, token, reconnect: false });
    await client.ready();
    const numbers = Array.from({ length: count }, () => ++published);
    await Promise.all(numbers.map((number) => client.publish(topic, number)));
    // The process may have ended by then.
    void client.close().catch(() => undefined);
    return numbers;
  };
  const restart = async (): Promise<void> => {
    await service.program.ended;
    service = await startProgram(folder.path, quiet);
  };
  const kill = (): void => void service.program.process.kill('SIGKILL');
  /** The ids under which a number has come. */
  const idsOf = (number: number): readonly string[] =>
    endpoint.received
      .filter(({ json }) => (json as { data: unknown }).data === number)
      .map(({ headers }) => String(headers['webhook-id']));
  const operator = async (): Promise<ApiClient> => {
    const claims = { subject: 'operator', organizationIds: [], isOperator: true };
    return apiClient(service.baseUrl, await mintSessionToken(sessionSecret, claims, 3600, systemClock));
  };

  const deaths: Readonly<Record<string, () => void>> = {
    'before it has an answer': () => (endpoint.reaction = kill),
    'as the answer comes': () =>
      (endpoint.reaction = (response) => {
        response.end();
        kill();
      }),
    'as it is put into the first retry': () => (endpoint.reaction = killAfterFailures(1)),
    'as it is put into the second retry': () => (endpoint.reaction = killAfterFailures(2)),
  };
  const killAfterFailures =
    (failures: number) =>
    (...[response, , count]: Parameters<typeof endpoint.reaction>): void => {
      response.writeHead(500).end();
      if (count === failures) kill();
    };

  for (const [when, prepare] of Object.entries(deaths))
    it(`killed ${when}`, async () => {
      prepare();
      const publishing = publish().catch(() => undefined);
      await service.program.ended;
      const before = endpoint.received.length;
      endpoint.reaction = answer(200);
      await restart();
      const number = published;
      await publishing;
      await publish(1);
      await eventually(() => idsOf(published).length > 0, { withinMs: 10_000 });
      if (when !== 'as the answer comes')
        await eventually(() => endpoint.received.length >= before + 2, {
          withinMs: 10_000,
          what: 'the call again',
        });
      expect(new Set(idsOf(number)).size, 'one id, however often it came').to.equal(1);
    });

  it('killed while most calls are queued, in memory and in the backlog', async () => {
    endpoint.reaction = never;
    const numbers = await publish(500);
    // As many as may be under way: none of the others has been made.
    await eventually(() => endpoint.received.length >= 64, { withinMs: 15_000 });
    kill();
    await service.program.ended;
    expect(numbers.filter((number) => idsOf(number).length === 0)).to.not.eql([]);
    endpoint.reaction = answer(200);
    await restart();
    await eventually(() => numbers.every((number) => idsOf(number).length > 0), {
      withinMs: 30_000,
      what: 'every call',
    });
    for (const number of numbers) expect(new Set(idsOf(number)).size, String(number)).to.equal(1);
  });

  it('killed during the wait for a retry, and before the dead letter is written', async () => {
    endpoint.reaction = answer(500);
    const [number = 0] = await publish();
    for (const attempts of [1, 2]) {
      await eventually(() => endpoint.received.length >= attempts, { withinMs: 15_000 });
      kill();
      await restart();
    }
    await eventually(() => endpoint.received.length >= 3, { withinMs: 15_000 });
    kill();
    await restart();
    const { organizationId } = service.credentials;
    const [dlqId] = idsOf(number);
    const path = `/organizations/${organizationId}/webhook-dlq/${dlqId}`;
    const as = await operator();
    await eventually(async () => (await as.get(path)).status === 200, {
      withinMs: 20_000,
      what: 'the entry',
    });
    expect((await as.get(path)).body.requestBody.data).to.equal(number);
    expect(new Set(idsOf(number)).size).to.equal(1);
  });

  it('killed during each wait of a call that is tried on', async () => {
    const { project } = service;
    const apps = (await project.get('/apps')).body.data as { appId: string; triggerWebhook: object }[];
    const { appId, triggerWebhook } = apps[0] ?? expect.fail('no app');
    const patient = { triggerWebhook: { ...triggerWebhook, retrySeconds: 3_600 } };
    await eventually(async () => (await project.patch(`/apps/${appId}`, patient)).status === 200);
    endpoint.reaction = answer(500);
    const [number = 0] = await publish();
    for (const attempts of [3, 4]) {
      await eventually(() => idsOf(number).length >= attempts, { withinMs: 30_000 });
      kill();
      await restart();
    }
    endpoint.reaction = answer(200);
    const before = idsOf(number).length;
    await eventually(() => idsOf(number).length > before, { withinMs: 30_000, what: 'the call again' });
    expect(new Set(idsOf(number)).size).to.equal(1);
    await service.project.patch(`/apps/${appId}`, { triggerWebhook });
  });

  it('killed repeatedly under load', async () => {
    endpoint.reaction = (response) => setTimeout(() => response.end(), 3);
    const all: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const target = endpoint.received.length + 20 + ((round * 37) % 90);
      all.push(...(await publish(150)));
      await eventually(() => endpoint.received.length >= target, { withinMs: 15_000 });
      kill();
      await restart();
    }
    await eventually(() => all.every((number) => idsOf(number).length > 0), {
      withinMs: 30_000,
      what: 'every call',
    });
    for (const number of all) expect(new Set(idsOf(number)).size, String(number)).to.equal(1);
  });

  it('stopped during calls that hang: the process ends, and the calls are made again', async () => {
    endpoint.reaction = never;
    const numbers = await publish(3);
    await eventually(() => endpoint.received.length > 0);
    const from = performance.now();
    expect((await stop(service)).code).to.equal(0);
    expect(performance.now() - from).to.be.below(15_000);
    endpoint.reaction = answer(200);
    endpoint.received.length = 0;
    await restart();
    await eventually(() => numbers.every((number) => idsOf(number).length > 0), { withinMs: 10_000 });
  });
});
