import { expect } from 'chai';
import { connect } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';
import { runRoomwire, type Program } from '../../support/program.js';

const { answer, inTurn } = reactions;

describe('[HOOK-WATCH-3] outcomes of webhook calls', () => {
  let service: TestService;
  let endpoint: WebhookEndpoint;
  let own: TestProject;
  const programs: Program[] = [];

  before(async () => {
    service = await startTestService({ webhookAllowPrivate: true });
    own = await service.newProject();
  });
  after(() => service.close());
  beforeEach(async () => void (endpoint = await WebhookEndpoint.open()));
  afterEach(async () => {
    for (const { process, ended } of programs.splice(0)) {
      process.kill('SIGKILL');
      await ended;
    }
    await endpoint.close();
  });

  /** Publishes once in an app of the project that calls the endpoint. */
  const publishIn = async ({ client }: Pick<TestProject, 'client'>): Promise<string> => {
    const triggerWebhook = { url: `${endpoint.url}?token=in-the-url`, headers: { 'x-key': 'secret-key' } };
    const app = (await client.post('/apps', { name: 'a', topics: ['chat'], triggerWebhook })).body;
    await client.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
    const { accessToken } = (await client.post('/actors', { name: 'x', actorType: 'user' })).body;
    const socket = connect({ url: service.socketUrl, token: accessToken, reconnect: false });
    await socket.ready();
    await socket.publish(`${app.slug}/lobby/chat`, 'payload-of-the-customer');
    await socket.close();
    return app.appId as string;
  };
  const pathOf = ({ organizationId }: Pick<TestProject, 'organizationId'>, query = ''): string =>
    `/organizations/${organizationId}/webhook-outcomes?${query}`;
  const ask = async (path: string) => {
    const { status, body } = await service.operator.get(path);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };

  it('are returned to polling sessions, for their own organization only', async () => {
    const other = await service.newProject();
    let { cursor } = await ask(pathOf(own));
    const others = await ask(pathOf(other));
    endpoint.reaction = inTurn(answer(500), answer(200));
    const appId = await publishIn(own);
    const seen: any[] = [];
    await eventually(async () => {
      const body = await ask(pathOf(own, `cursor=${cursor}`));
      ({ cursor } = body);
      seen.push(...body.data);
      return seen.length === 2;
    });
    const common = {
      projectId: own.projectId,
      appId,
      kind: 'trigger',
      urlOrigin: new URL(endpoint.url).origin,
    };
    expect(seen[0]).to.include({ ...common, attempt: 1, outcome: '5xx', status: 500, next: 'retry' });
    expect(seen[1]).to.include({ ...common, attempt: 2, outcome: '2xx', status: 200, next: 'done' });
    expect(seen[1].webhookId).to.equal(endpoint.received[0]?.headers['webhook-id']);
    // The marker is the first that the other organization sees.
    await publishIn(other);
    const { data } = await ask(pathOf(other, `cursor=${others.cursor}`));
    expect((data as { projectId: string }[]).map(({ projectId }) => projectId)).to.eql([other.projectId]);
  });

  it('are not visible to another organization', async () => {
    const session = service.client(own.apiKey);
    expect((await session.get(pathOf(own))).status).to.equal(401);
    expect((await service.operator.get(pathOf({ organizationId: own.projectId }))).status).to.equal(404);
    expect((await service.operator.get(pathOf(own, 'cursor=1'))).status).to.equal(400);
  });

  const tail = async (...args: readonly string[]): Promise<Program> => {
    const program = runRoomwire(['webhooks', 'tail', '--url', service.baseUrl, ...args], {
      ROOMWIRE_SESSION_TOKEN: service.credentials.sessionToken,
    });
    programs.push(program);
    await program.printed(/Watching the webhook calls of/);
    return program;
  };
  const lines = (program: Program): readonly string[] => program.stdout().split('\n').filter(Boolean);

  it('are printed by `roomwire webhooks tail`, without secrets', async () => {
    const program = await tail('--org', own.organizationId);
    endpoint.reaction = answer(204);
    const appId = await publishIn(own);
    await program.printed(new RegExp(`204.*app=${appId}`));
    const [line = ''] = lines(program);
    const id = String(endpoint.received[0]?.headers['webhook-id']);
    for (const part of ['trigger', '#1', ' ms', new URL(endpoint.url).origin, own.projectId, id])
      expect(line).to.include(part);
    for (const secret of ['in-the-url', '/hook', 'secret-key', 'of-the-customer'])
      expect(program.stdout() + program.stderr()).not.to.include(secret);
    program.process.kill('SIGINT');
    expect((await program.ended).code).to.equal(0);
  });

  it('are printed as JSON, filtered by the options', async () => {
    const program = await tail('--org', own.organizationId, '--failed', '--json');
    endpoint.reaction = answer(200);
    await publishIn(own);
    await eventually(() => endpoint.received.length === 1);
    endpoint.reaction = answer(404);
    const appId = await publishIn(own);
    await eventually(() => lines(program).length > 0);
    expect(lines(program).map((line) => JSON.parse(line).outcome)).to.eql(['4xx']);
    const chosen = await tail('--org', own.organizationId, '--json', '--app', appId);
    await publishIn(own);
    await eventually(() => lines(program).length === 2);
    expect(lines(chosen)).to.eql([]);
  });

  it('make the command fail with one line that gives the reason when access is refused', async () => {
    const run = (args: readonly string[], token = service.credentials.sessionToken) =>
      runRoomwire(['webhooks', 'tail', '--url', service.baseUrl, ...args], { ROOMWIRE_SESSION_TOKEN: token });
    const none = run([], 'x');
    expect((await none.ended).code).to.equal(2);
    expect(none.stderr()).to.include('--org');
    const unknown = run(['--org', own.projectId]);
    expect((await unknown.ended).code).to.equal(1);
    expect(unknown.stderr()).to.include(`Organization ${own.projectId} not found`);
    const bad = run(['--org', own.organizationId], 'x.y.z');
    expect((await bad.ended).code).to.equal(1);
    expect(bad.stderr()).to.include('Invalid or expired session token');
  });
});
