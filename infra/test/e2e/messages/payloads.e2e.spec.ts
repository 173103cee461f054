import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { withStores } from '../../support/eventLogAccess.js';
import { appWithRoom, joinAsActor } from '../../support/hookedApp.js';
import { expectApplicationError } from '../../support/shapes.js';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';

const day = 86_400_000;
const mebibyte = 1024 * 1024;
const secret = 'a-secret-of-the-backend';

/** The first use of a queue may wait for its consumers. */
const withinMs = 30_000;

describe('[HOOK-DLQ-3] the payload of a dead letter', function () {
  this.timeout(120_000);
  let service: TestService;
  let endpoint: WebhookEndpoint;
  const clients: Client[] = [];
  const inLog = { organizationId: randomUUID(), projectId: randomUUID() };
  const [young, old] = [randomUUID(), randomUUID()];

  /** As the version before wrote it. */
  const firstVersion = (dlqId: string, ageMs: number) => ({
    id: randomUUID(),
    type: 'DeadLetterRecorded',
    schemaVersion: 1,
    data: {
      ...{ dlqId, ...inLog, appId: randomUUID(), kind: 'trigger', url: `${endpoint.url}?key=${secret}` },
      requestHeaders: { 'X-Key': secret },
      requestBody: { roomName: 'lobby', topicName: 'chat', actorId: 'a', data: secret, scope: null },
      ...{ responseStatus: 404, error: 'The endpoint answered 404', retryCount: 0, status: 'failed' },
    },
    metadata: {
      ...inLog,
      occurredAt: new Date(Date.now() - ageMs).toISOString(),
      ...{ principal: 'system', requestId: 'r' },
    },
  });

  before(async () => {
    endpoint = await WebhookEndpoint.open();
    const payloadLimits = { retentionMs: 14 * day, quotaBytes: mebibyte };
    const limits = { payloadLimits, deadLetters: 14 };
    service = await startTestService({ webhookAllowPrivate: true, ...limits }, (config) =>
      withStores(config, async (stores) => {
        const log = await stores.log();
        const { organizationId, projectId } = inLog;
        await log.append(`organization-${organizationId}`, 'none', [
          {
            ...firstVersion(young, 15 * day),
            ...{ type: 'OrganizationCreated', data: { organizationId, name: 'O', plan: {} } },
          },
        ]);
        await log.append(`project-${projectId}`, 'none', [
          {
            ...firstVersion(young, 15 * day),
            ...{ type: 'ProjectCreated', data: { projectId, organizationId, name: 'P' } },
          },
        ]);
        await log.append(`deadLetter-${young}`, 'none', [firstVersion(young, 13 * day)]);
        await log.append(`deadLetter-${old}`, 'none', [firstVersion(old, 14 * day)]);
      }),
    );
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await service.close();
    await endpoint.close();
  });
  beforeEach(() => {
    endpoint.reaction = reactions.answer(404);
    endpoint.received.length = 0;
  });

  const webhook = () => ({ url: endpoint.url, headers: { 'X-Key': secret } });
  const received = (count: number): Promise<void> =>
    eventually(() => endpoint.received.length >= count, { what: `${count} calls`, withinMs });
  const pathOf = (organizationId: string, dlqId: string) =>
    `/organizations/${organizationId}/webhook-dlq/${dlqId}`;
  const entryOf = async (path: string) => (await service.operator.get(path)).body;

  const expired = { requestHeaders: {}, requestBody: null, payloadExpired: true };

  interface Failure {
    readonly project: TestProject;
    readonly appId: string;
    readonly path: string;
    readonly scope: string;
  }

  /** A publish of an actor in a scope whose webhook the backend refuses. */
  const failure = async (data: unknown = 'lost'): Promise<Failure> => {
    const project = await service.newProject();
    const { appId, topic } = await appWithRoom(project.client, { triggerWebhook: webhook() });
    const scope = (await project.client.post('/scopes', { slug: 'acme', name: 'Acme' })).body.accessScopeId;
    const joined = await joinAsActor({ ...service, project: project.client }, { accessScopeId: scope });
    clients.push(joined.client);
    const before = endpoint.received.length;
    await joined.client.publish(topic, data);
    await received(before + 1);
    const path = pathOf(project.organizationId, String(endpoint.received[before]?.headers['webhook-id']));
    await eventually(async () => (await service.operator.get(path)).status === 200, { withinMs });
    expect(await entryOf(path)).not.to.have.property('payloadExpired');
    expect(await entryOf(path)).to.deep.include({ requestHeaders: { 'X-Key': secret } });
    await project.client.delete(`/actors/${joined.actorTokenId}`);
    return { project, appId, path, scope };
  };

  const expectExpired = async ({ path, project }: Failure): Promise<void> => {
    await eventually(async () => (await entryOf(path)).payloadExpired === true, { withinMs });
    expect(await entryOf(path)).to.deep.include(expired);
    const queue = `/organizations/${project.organizationId}/webhook-dlq`;
    expect((await service.operator.get(queue)).body.data[0]).to.deep.include(expired);
    const dlqId = path.slice(path.lastIndexOf('/') + 1);
    expectApplicationError(
      await service.operator.post(`${path}/redrive`, {}),
      409,
      `The headers and the body of webhook dead letter ${dlqId} are not kept any more`,
    );
    const { body } = await service.operator.post(`${queue}/redrive`, { dryRun: false });
    expect(body).to.deep.include({ matched: 1, redriven: 0 });
    expect((await service.operator.delete(`${path}/mark-dead`)).body).to.deep.include(expired);
  };

  it('is deleted with its room', async () => {
    const failed = await failure();
    const rooms = `/apps/${failed.appId}/rooms`;
    const [{ roomId }] = (await failed.project.client.get(rooms)).body;
    expect((await failed.project.client.delete(`${rooms}/${roomId}`)).status).to.equal(204);
    await expectExpired(failed);
  });

  it('is deleted with its app', async () => {
    const failed = await failure();
    expect((await failed.project.client.delete(`/apps/${failed.appId}`)).status).to.equal(200);
    await expectExpired(failed);
  });

  it('is deleted with the scope of its actor', async () => {
    const failed = await failure();
    expect((await failed.project.client.delete(`/scopes/${failed.scope}`)).status).to.equal(204);
    await expectExpired(failed);
  });

  it('is kept within the quota of its project, the newest of them', async () => {
    const project = await service.newProject();
    const { topic } = await appWithRoom(project.client, { triggerWebhook: webhook() });
    const { client } = await joinAsActor({ ...service, project: project.client });
    clients.push(client);
    for (let n = 1; n <= 12; n += 1) {
      await client.publish(topic, 'x'.repeat(200_000));
      await received(n);
    }
    const queue = `/organizations/${project.organizationId}/webhook-dlq`;
    const list = async () => (await service.operator.get(queue)).body.data as { payloadExpired?: boolean }[];
    await eventually(async () => (await list()).length === 12, { withinMs });
    const kept = (await list()).map(({ payloadExpired = false }) => !payloadExpired);
    // Five of 200 kB fit into a mebibyte; which of those that came together are older is not known.
    expect(kept.filter(Boolean).length).to.be.within(4, 5);
    expect(kept.slice(8)).to.eql([false, false, false, false]);
  });

  it('[HOOK-DLQ-4] is not recorded, nor is its entry, while the project has as many entries as it may', async () => {
    const project = await service.newProject();
    const { topic } = await appWithRoom(project.client, { triggerWebhook: webhook() });
    const { client } = await joinAsActor({ ...service, project: project.client });
    clients.push(client);
    const counted = () =>
      service.logLines.some(
        ({ message, fields }) => message === 'Limit reached' && fields?.['limit'] === 'deadLetters',
      );
    const queue = `/organizations/${project.organizationId}/webhook-dlq`;
    const total = async (): Promise<number> => (await service.operator.get(queue)).body.pagination.total;
    for (let n = 1; n <= 18; n += 1) await client.publish(topic, n);
    await received(18);
    await eventually(counted, { withinMs });
    await eventually(async () => (await total()) === 14, { withinMs });
  });

  it('that is in a log of an earlier version is read, for as long as any other', async () => {
    const path = (dlqId: string) => pathOf(inLog.organizationId, dlqId);
    expect(await entryOf(path(young))).to.deep.include({
      requestHeaders: { 'X-Key': secret },
      requestBody: { roomName: 'lobby', topicName: 'chat', actorId: 'a', data: secret, scope: null },
    });
    expect(await entryOf(path(old))).to.deep.include(expired);
    expect((await service.operator.post(`${path(old)}/redrive`, {})).status).to.equal(409);
    endpoint.reaction = reactions.answer(200);
    expect((await service.operator.post(`${path(young)}/redrive`, {})).status).to.equal(202);
    await received(1);
    expect(endpoint.received[0]?.headers).to.include({ 'x-key': secret, 'webhook-id': young });
    expect(endpoint.received[0]?.json).to.deep.include({ data: secret });
    await eventually(async () => (await service.operator.get(path(young))).status === 404, { withinMs });
  });
});
