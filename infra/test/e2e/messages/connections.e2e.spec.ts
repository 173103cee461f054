import { expect } from 'chai';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../../support/apiClient.js';
import { actorOf, appWithRoom } from '../../support/hookedApp.js';
import { expectValidationError } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';

interface Shown {
  readonly connectionId: string;
  readonly [field: string]: unknown;
}

interface Entry {
  readonly kind: string;
  readonly at: string;
  readonly place?: { readonly offset: number };
  readonly [field: string]: unknown;
}

describe('connections on record', () => {
  let service: TestService;
  let project: ApiClient;
  let path: string;
  let organizationId: string;
  let projectId: string;
  let topic: string;
  let actor: { readonly accessToken: string; readonly actorTokenId: string; readonly keyId: string };
  const sockets: FrameClient[] = [];

  before(async () => void (service = await startTestService({ connectionRecord: true })));
  after(() => service.close());
  beforeEach(async () => {
    ({ client: project, organizationId, projectId } = await service.newProject());
    path = `/organizations/${organizationId}/connections`;
    ({ topic } = await appWithRoom(project, { topicConfigs: { chat: { history: { messages: 100 } } } }));
    actor = await actorOf(project);
  });
  afterEach(() => sockets.splice(0).forEach((socket) => socket.terminate()));

  const connect = async (fields: object = {}): Promise<FrameClient> => {
    const socket = await FrameClient.connect(service.socketUrl);
    sockets.push(socket);
    await socket.ask({ type: 'auth', token: actor.accessToken, protocolVersion: 2, ...fields });
    return socket;
  };
  const list = async (query = ''): Promise<readonly Shown[]> =>
    (await service.operator.get(`${path}?${query}`)).body.data;
  const listed = async (count: number, query = ''): Promise<readonly Shown[]> => {
    let found: readonly Shown[] = [];
    await eventually(async () => (found = await list(query)).length === count, {
      what: `${count} of ${query}`,
    });
    return found;
  };
  const timeline = async ({ connectionId }: Shown): Promise<readonly Entry[]> =>
    (await service.operator.get(`${path}/${connectionId}/timeline`)).body.data;
  const sessionOf = async (role: 'viewer' | 'editor') =>
    service.client(
      await mintSessionToken(
        new Uint8Array(32).fill(7),
        {
          subject: role,
          organizationIds: [organizationId],
          roles: { [organizationId]: role },
          isOperator: false,
        },
        3_600,
        systemClock,
      ),
    );

  it('[HTTP-CONN-1] are listed while they are open, and when they have closed', async () => {
    const socket = await connect({ sdk: 'test/1.2.3' });
    await socket.subscribe(topic, { filters: ['eu'] });
    const [open] = await listed(1, 'state=open');
    expect(open).to.deep.include({
      ...{ projectId, actorTokenId: actor.actorTokenId, keyId: actor.keyId, actorType: 'user', scope: null },
      ...{ address: '127.0.0.1', sdk: 'test/1.2.3', closedAt: null, closeCode: null, closeReason: null },
    });
    const room = topic.split('/').slice(0, 2).join('/');
    await listed(1, `room=${room}&actorId=${actor.actorTokenId}&projectId=${projectId}`);
    await listed(1, `actorId=${actor.actorTokenId.toUpperCase()}&projectId=${projectId.toUpperCase()}`);
    expect(await list(`room=${room}x`)).to.eql([]);
    expect(await list('state=closed')).to.eql([]);
    socket.terminate();
    const [closed] = await listed(1, 'state=closed');
    expect(closed).to.include({
      connectionId: open?.connectionId,
      closeCode: 1006,
      closedBy: 'client',
      subscriptions: 1,
    });
    expect(await list('state=open')).to.eql([]);
  });

  it('[HTTP-CONN-2] tell between which messages each subscription was there', async () => {
    const publish = async () => {
      const { status } = await project.post('/publish', { topic, data: 'x' });
      expect(status).to.equal(200);
    };
    const watcher = await connect();
    await watcher.subscribe(topic, { meta: true });
    await publish();
    await watcher.next();
    const socket = await connect();
    await socket.subscribe(topic);
    await publish();
    await Promise.all([socket.next(), watcher.next()]);
    await socket.ask({ type: 'setFilters', topic, filters: ['eu'] });
    socket.send({ type: 'unsubscribe', topic });
    await socket.close();
    const all = await listed(1, 'state=closed');
    const entries = await timeline(all[0] as Shown);
    expect(entries.map(({ kind }) => kind)).to.eql([
      ...['authenticated', 'subscribed', 'changed', 'unsubscribed', 'closed'],
    ]);
    const [, subscribed, changed, unsubscribed, closed] = entries;
    expect(subscribed).to.deep.include({ topic, scope: null });
    expect(changed).to.deep.include({ topic, filters: ['eu'] });
    expect(unsubscribed).to.include({ topic, reason: 'client' });
    expect(closed).to.include({ by: 'client' });
    const offsets = [subscribed, changed, unsubscribed].map((entry) => entry?.place?.offset as number);
    // One message came between the first two.
    expect(offsets[1]).to.be.greaterThan(offsets[0] as number);
    expect(offsets[2]).to.equal(offsets[1]);
  });

  it('[HTTP-CONN-2] tell which rule ended a subscription', async () => {
    const socket = await connect();
    await socket.subscribe(topic);
    const [app] = (await project.get('/apps')).body.data;
    const [room] = (await project.get(`/apps/${app.appId}/rooms`)).body;
    await project.post(`/apps/${app.appId}/rooms/${room.roomId}/actors`, {
      permission: 'pubSub',
      actorType: 'device',
    });
    const [open] = await listed(1);
    await eventually(async () => (await timeline(open as Shown)).some(({ kind }) => kind === 'unsubscribed'));
    const ended = (await timeline(open as Shown)).find(({ kind }) => kind === 'unsubscribed');
    expect(ended).to.include({ topic, reason: 'rights_ended', rule: 'grant_missing' });
  });

  it('[HTTP-CONN-3] [WS-CONN-16] are closed by an editor, may come back, and the audit says by whom', async () => {
    const socket = await connect();
    const [open] = await listed(1, 'state=open');
    const one = `${path}/${open?.connectionId}`;
    expect((await (await sessionOf('viewer')).delete(one)).status).to.equal(403);
    expect((await (await sessionOf('editor')).delete(one)).status).to.equal(204);
    expect(await socket.closed).to.deep.include({ code: 4001, reason: 'kicked' });
    const [closed] = await listed(1, 'state=closed');
    expect(closed).to.include({ closeCode: 4001, closeReason: 'kicked', closedBy: 'gateway' });
    expect((await service.operator.delete(one)).status).to.equal(409);
    await connect();
    await listed(1, 'state=open');
    const query = `type=ConnectionCloseRequested`;
    await eventually(async () => {
      const { body } = await service.operator.get(`/organizations/${organizationId}/audit?${query}`);
      return body.data.length === 1 && body.data[0].principal === 'session:editor';
    });
  });

  it('[HTTP-CONN-1] are those of the organization, in pages', async () => {
    for (let n = 0; n < 3; n += 1) await connect();
    await listed(3);
    const first = (await service.operator.get(`${path}?limit=2`)).body;
    expect(first.data).to.have.length(2);
    const second = (await service.operator.get(`${path}?limit=2&cursor=${first.nextCursor}`)).body;
    expect(second.data).to.have.length(1);
    expect(second.nextCursor).to.equal(null);
    const other = await service.newProject();
    const foreign = `/organizations/${other.organizationId}/connections`;
    expect((await service.operator.get(foreign)).body.data).to.eql([]);
    const [one] = await list();
    expect((await service.operator.get(`${foreign}/${one?.connectionId}/timeline`)).status).to.equal(404);
    expect((await service.operator.delete(`${foreign}/${one?.connectionId}`)).status).to.equal(404);
  });

  it('[HTTP-CONN-1] [HTTP-CONN-2] refuse a cursor that none of their pages has given', async () => {
    await (await connect()).subscribe(topic);
    const [one] = await listed(1);
    await eventually(async () => (await timeline(one as Shown)).length === 2);
    const ofOne = `${path}/${one?.connectionId}/timeline`;
    const { nextCursor } = (await service.operator.get(`${ofOne}?limit=1`)).body;
    const rest: readonly Entry[] = (await service.operator.get(`${ofOne}?cursor=${nextCursor}`)).body.data;
    expect(rest.map(({ kind }) => kind)).to.eql(['subscribed']);
    for (const of of [path, ofOne])
      for (const cursor of ['', 'x', 'zzzzzzzzz-', '~'])
        expectValidationError(await service.operator.get(`${of}?cursor=${cursor}`), 'cursor');
  });

  it('go with their project', async () => {
    await connect();
    await listed(1);
    await service.operator.delete(`/organizations/${organizationId}/projects/${projectId}`);
    await listed(0);
  });
});
