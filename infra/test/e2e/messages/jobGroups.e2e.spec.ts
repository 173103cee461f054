import { expect } from 'chai';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../../support/apiClient.js';
import { actorOf, appWithRoom } from '../../support/hookedApp.js';
import { startTestService, type TestService } from '../../support/testService.js';

describe('worker groups over HTTP, before their workers', () => {
  let service: TestService;
  let project: ApiClient;
  let organizationId: string;
  let projectId: string;
  let groupsPath: string;
  let topic: string;
  const sockets: FrameClient[] = [];

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => {
    ({ client: project, organizationId, projectId } = await service.newProject());
    const app = await appWithRoom(project, {});
    ({ topic } = app);
    const [{ roomId }] = (await project.get(`/apps/${app.appId}/rooms`)).body;
    groupsPath = `/apps/${app.appId}/rooms/${roomId}/groups`;
  });
  afterEach(() => sockets.splice(0).forEach((socket) => socket.terminate()));

  const create = (fields: object = {}) =>
    project.post(groupsPath, { topic: 'chat', name: 'workers', ...fields });
  const publish = (data: unknown) => project.post('/publish', { topic, data });
  const join = async (jobs?: object): Promise<FrameClient> => {
    const { accessToken } = await actorOf(project);
    const socket = await FrameClient.connect(service.socketUrl);
    sockets.push(socket);
    await socket.ask({ type: 'auth', token: accessToken, protocolVersion: 2, notices: true });
    const options = { loadBalance: true, loadBalanceGroup: 'workers', ...(jobs && { jobs }) };
    return socket.subscribe(topic, options);
  };

  it('[HTTP-GROUP-1] collects from the answer on, for a worker that comes later', async () => {
    expect((await publish('before')).status).to.equal(200);
    const { status, body: made } = await create({ jobs: { prefetch: 1 } });
    expect(status).to.equal(201);
    expect(made).to.deep.include({ depth: 0, members: 0, oldestAt: null });
    for (const data of ['one', 'two']) expect((await publish(data)).status).to.equal(200);
    await eventually(async () => (await project.get(`${groupsPath}/${made.groupId}`)).body.depth === 2);
    const worker = await join({ prefetch: 1 });
    const job = (await worker.next()) as Record<string, unknown>;
    expect(job).to.include({ type: 'message', data: 'one', requiresAck: true });
    const shown = (await project.get(`${groupsPath}/${made.groupId}`)).body;
    expect(shown).to.include({ depth: 2, inFlight: 1, members: 1 });
    expect(Date.parse(shown.oldestAt)).to.be.within(Date.now() - 60_000, Date.now());
    worker.send({ type: 'ack', msgId: job['msgId'] });
    expect(await worker.next()).to.include({ data: 'two' });
    const again = await create({ jobs: { ackSeconds: 5 } });
    expect([again.status, again.body.groupId]).to.eql([200, made.groupId]);
    expect(again.body.jobs).to.eql({ prefetch: 100, ackSeconds: 5, maxDeliveries: 5 });
  });

  it('[HTTP-GROUP-1] is no group whose members have no jobs', async () => {
    await join();
    const { status, body } = await create();
    expect([status, body.message]).to.eql([409, 'Worker group "workers" has members without jobs']);
  });

  it('[HTTP-GROUP-2] is listed with those that workers made, and shows its oldest jobs, which stay', async () => {
    const { groupId } = (await create({ name: 'collecting' })).body;
    await join({ prefetch: 1 });
    await publish({ image: 'a.jpg' });
    const { data, next } = (await project.get(groupsPath)).body as {
      data: { name: string }[];
      next: unknown;
    };
    expect(data.map(({ name }) => name)).to.have.members(['collecting', 'workers']);
    expect(next).to.equal(null);
    const peek = async () => (await project.get(`${groupsPath}/${groupId}/jobs`)).body.data;
    await eventually(async () => (await peek()).length === 1);
    for (let time = 0; time < 2; time += 1) {
      const [job] = await peek();
      expect(job).to.deep.include({
        deliveries: 0,
        actorTokenId: null,
        filter: null,
        data: { image: 'a.jpg' },
      });
    }
  });

  it('[HTTP-GROUP-3] is deleted with its jobs and the subscriptions of its members, and the audit says by whom', async () => {
    const { groupId } = (await create()).body;
    const worker = await join({ prefetch: 1 });
    expect((await project.delete(`${groupsPath}/${groupId}`)).status).to.equal(204);
    expect(await worker.next()).to.include({ type: 'subscriptionEnded', topic, reason: 'group_deleted' });
    expect((await project.get(`${groupsPath}/${groupId}`)).status).to.equal(404);
    expect((await project.get(groupsPath)).body.data).to.eql([]);
    for (const type of ['JobGroupConfigured', 'JobGroupDeleted']) {
      const query = `projectId=${projectId}&type=${type}`;
      const { body } = await service.operator.get(`/organizations/${organizationId}/audit?${query}`);
      expect(body.data[0].principal).to.match(/^apiKey:ak_live_/);
      expect(body.data[0].data).to.include({ groupId, topic: 'chat', name: 'workers' });
    }
  });
});
