import { expect } from 'chai';
import type { Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { appWithRoom, joinAsActor } from '../../support/hookedApp.js';
import { expectApplicationError } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';

const { answer } = reactions;

describe('[HOOK-REDRIVE-1] dead letters of webhook calls', () => {
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
  const join = async () => {
    const joined = await joinAsActor(service);
    clients.push(joined.client);
    return joined;
  };
  const received = (count: number): Promise<void> =>
    eventually(() => endpoint.received.length >= count, { what: `${count} calls`, withinMs: 10_000 });
  const queue = () => `/organizations/${service.credentials.organizationId}/webhook-dlq`;

  /** The entries of so many publishes that the backend refuses. */
  const failures = async (count: number): Promise<{ appId: string; paths: string[] }> => {
    endpoint.reaction = answer(404);
    const { appId, topic } = await newApp({
      triggerWebhook: { url: endpoint.url, headers: { 'X-Key': 'k' } },
    });
    const { client } = await join();
    for (let n = 1; n <= count; n += 1) await client.publish(topic, { n });
    await received(count);
    const paths = endpoint.received.map(({ headers }) => `${queue()}/${String(headers['webhook-id'])}`);
    for (const path of paths) await eventually(async () => (await service.operator.get(path)).status === 200);
    return { appId, paths };
  };
  const gone = (path: string): Promise<void> =>
    eventually(async () => (await service.operator.get(path)).status === 404, {
      what: 'an entry that is gone',
    });

  it('[HOOK-DLQ-2] are listed within a second, and removed after the 2xx of a redrive', async () => {
    endpoint.reaction = answer(404);
    const { topic } = await newApp({ triggerWebhook: { url: endpoint.url } });
    const { client } = await join();
    await client.publish(topic, 'lost');
    await received(1);
    const dlqId = String(endpoint.received[0]?.headers['webhook-id']);
    const listed = async (): Promise<boolean> => {
      const { data } = (await service.operator.get(`${queue()}?limit=100`)).body;
      return (data as { dlqId: string }[]).some((entry) => entry.dlqId === dlqId);
    };
    await eventually(listed, { withinMs: 1_000, what: 'the entry in the list' });
    endpoint.reaction = answer(500);
    await service.operator.post(`${queue()}/${dlqId}/redrive`, undefined);
    await received(2);
    expect(await listed(), 'while there is no 2xx').to.equal(true);
    endpoint.reaction = answer(202);
    await received(3);
    await eventually(async () => !(await listed()), { what: 'an entry that is gone' });
  });

  it('are redriven at the request of an operator, and removed after a 2xx', async () => {
    const { paths } = await failures(1);
    const [path = ''] = paths;
    endpoint.reaction = answer(204);
    const { status, body } = await service.operator.post(`${path}/redrive`, undefined);
    expect(status).to.equal(202);
    expect(body).to.include({ redriveCount: 1, lastRedriveBy: 'session:operator', status: 'failed' });
    await received(2);
    const [first, second] = endpoint.received;
    expect(second?.json).to.eql(first?.json);
    expect(second?.headers).to.include({
      'webhook-id': first?.headers['webhook-id'],
      'x-key': 'k',
    });
    await gone(path);
  });

  it('[HOOK-REDRIVE-2] are redriven while the request waits, and answered with what came of it', async () => {
    const { paths } = await failures(1);
    const [path = ''] = paths;
    endpoint.reaction = answer(410);
    const refused = await service.operator.post(`${path}/redrive?wait=true`, undefined);
    expect(refused).to.deep.include({
      ...{ status: 200, body: { delivered: false, responseStatus: 410, error: 'The endpoint answered 410' } },
    });
    endpoint.reaction = answer(202);
    const accepted = await service.operator.post(`${path}/redrive?wait=true`, undefined);
    expect(accepted).to.deep.include({
      ...{ status: 200, body: { delivered: true, responseStatus: 202, error: null } },
    });
    await gone(path);
    expect((await service.operator.post(`${path}/redrive?wait=true`, undefined)).status).to.equal(404);
    expect((await service.operator.post(`${path}/redrive?wait=yes`, undefined)).status).to.equal(400);
  });

  it('[HOOK-REDRIVE-1] make three attempts, however long their call was tried on', async () => {
    endpoint.reaction = answer(404);
    const { topic } = await newApp({
      triggerWebhook: { url: endpoint.url, retrySeconds: 3_600, bodyVersion: 2 },
    });
    const { client } = await join();
    await client.publish(topic, 'lost');
    await received(1);
    const path = `${queue()}/${String(endpoint.received[0]?.headers['webhook-id'])}`;
    await eventually(async () => (await service.operator.get(path)).status === 200);
    endpoint.reaction = answer(500);
    const outcome = (await service.operator.post(`${path}/redrive?wait=true`, undefined)).body;
    expect(outcome).to.include({ delivered: false, responseStatus: 500 });
    expect(endpoint.received).to.have.lengthOf(4);
    expect(endpoint.received.map(({ json }) => json)).to.eql(Array(4).fill(endpoint.received[0]?.json));
    expect(endpoint.received[0]?.json).to.include({ topic, position: null });
  }).timeout(20_000);

  it('are not found by any request once their project is deleted', async () => {
    endpoint.reaction = answer(404);
    const project = await service.newProject();
    const { topic } = await appWithRoom(project.client, { triggerWebhook: { url: endpoint.url } });
    const { client } = await joinAsActor({ ...service, project: project.client });
    clients.push(client);
    await client.publish(topic, 'lost');
    await received(1);
    const organization = `/organizations/${project.organizationId}`;
    const dlqId = String(endpoint.received[0]?.headers['webhook-id']);
    const path = `${organization}/webhook-dlq/${dlqId}`;
    await eventually(async () => (await service.operator.get(path)).status === 200);
    await service.operator.delete(`${organization}/projects/${project.projectId}`);
    for (const answered of [
      await service.operator.get(path),
      await service.operator.post(`${path}/redrive`, undefined),
      await service.operator.delete(`${path}/mark-dead`),
      await service.operator.delete(path),
    ])
      expectApplicationError(answered, 404, `Webhook dead letter ${dlqId} not found`);
  });

  it('are kept, with the new outcome, when they fail again', async () => {
    const { paths } = await failures(1);
    const [path = ''] = paths;
    endpoint.reaction = answer(410);
    await service.operator.post(`${path}/redrive`, undefined);
    await eventually(async () => (await service.operator.get(path)).body.responseStatus === 410);
    expect((await service.operator.get(path)).body).to.include({
      status: 'failed',
      error: 'The endpoint answered 410',
      redriveCount: 1,
      retryCount: 0,
    });
    await service.operator.delete(`${path}/mark-dead`);
    expect(await service.operator.post(`${path}/redrive`, undefined)).to.deep.include({ status: 409 });
  });

  it('are redriven all together, after a dry run that lists them', async () => {
    const { appId, paths } = await failures(5);
    const all = `${queue()}/redrive`;
    const dlqIds = paths.map((path) => path.slice(queue().length + 1));
    endpoint.reaction = answer(200);
    const dry = (await service.operator.post(all, { appId })).body;
    expect(dry).to.deep.include({ matched: 5, redriven: 0, dryRun: true });
    expect(dry.dlqIds).to.have.members(dlqIds);
    expect((await service.operator.post(all, { appId, status: 'pending' })).body.matched).to.equal(0);
    expect((await service.operator.post(all, { appId, dryRun: false })).body).to.deep.include({
      ...{ matched: 5, redriven: 5, dryRun: false },
    });
    for (const path of paths) await gone(path);
    expect(endpoint.received).to.have.lengthOf(10);
  });

  it('are redriven in part: a number of them, the oldest first, or those of a period', async () => {
    const { appId, paths } = await failures(5);
    const entries = await Promise.all(paths.map(async (path) => (await service.operator.get(path)).body));
    const oldestFirst = entries.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    const times = oldestFirst.map(({ createdAt }) => createdAt as string);
    const redrive = async (filter: object): Promise<readonly string[]> =>
      (await service.operator.post(`${queue()}/redrive`, { appId, ...filter })).body.dlqIds;
    const idsWhere = (fits: (time: string) => boolean): readonly string[] =>
      oldestFirst.filter(({ createdAt }) => fits(createdAt)).map(({ dlqId }) => dlqId as string);

    const [first = '', , middle = '', , last = ''] = times;
    expect(await redrive({ from: middle })).to.have.members(idsWhere((time) => time >= middle));
    expect(await redrive({ to: middle })).to.have.members(idsWhere((time) => time <= middle));
    expect(await redrive({ from: last, to: first })).to.have.members(idsWhere(() => first === last));
    // Another offset, the same moment.
    const elsewhere = `${new Date(Date.parse(middle) + 3_600_000).toISOString().slice(0, -1)}+01:00`;
    expect(await redrive({ from: elsewhere })).to.have.members(idsWhere((time) => time >= middle));

    endpoint.reaction = answer(200);
    const chosen = await redrive({ limit: 2, dryRun: false });
    expect(chosen).to.have.lengthOf(2);
    for (const dlqId of chosen) await gone(`${queue()}/${dlqId}`);
    const left = await redrive({});
    expect(left).to.have.members(entries.map(({ dlqId }) => dlqId).filter((id) => !chosen.includes(id)));
    const createdAt = (id: string): string => oldestFirst.find(({ dlqId }) => dlqId === id)?.createdAt;
    for (const before of chosen)
      for (const after of left) expect(createdAt(before) <= createdAt(after)).to.equal(true);
  });
});
