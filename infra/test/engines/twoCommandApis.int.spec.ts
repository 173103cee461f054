import { expect } from 'chai';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { apiClient, type ApiClient } from '../support/apiClient.js';
import type { Answer } from '../support/conformance.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';

const tally = (values: readonly number[]): Record<number, number> =>
  Object.fromEntries(
    [...new Set(values)].map((value) => [value, values.filter((each) => each === value).length]),
  );

describe('two command-apis under concurrent requests', function () {
  this.timeout(180_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let apis: [Member, Member];
  let clients: [ApiClient, ApiClient];

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    apis = await Promise.all([cluster.add('command-api'), cluster.add('command-api')]);
    await cluster.add('projections');
  });
  after(async () => {
    await cluster.close();
    await engines.close();
  });
  beforeEach(async () => {
    clients = (await cluster.newProject({}, ...apis)).clients as [ApiClient, ApiClient];
  });

  const side = (index: number): ApiClient => clients[index % 2] as ApiClient;
  /** As many requests at once, in turn on one process and on the other. */
  const race = (count: number, request: (client: ApiClient, index: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, (_, index) => request(side(index), index)));
  const raceTally = async (...args: Parameters<typeof race>) =>
    tally((await race(...args)).map(({ status }) => status));
  const newApp = async (): Promise<string> => (await side(0).post('/apps', { name: 'x' })).body.appId;

  describe('accept one of fifty requests', () => {
    it('that create the same room', async () => {
      const rooms = `/apps/${await newApp()}/rooms`;
      for (let round = 0; round < 3; round += 1) {
        const create = (client: ApiClient) => client.post(rooms, { name: 'x', slug: `room-${round}` });
        expect(await raceTally(50, create)).to.eql({ 201: 1, 409: 49 });
      }
      expect((await side(1).get(rooms)).body).to.have.length(3);
    });

    it('that give apps the same slug', async () => {
      const apps = await race(50, (client) => client.post('/apps', { name: 'x' }));
      const patch = (client: ApiClient, index: number) =>
        client.patch(`/apps/${apps[index]?.body.appId}`, { slug: 'the-one' });
      expect(await raceTally(50, patch)).to.eql({ 200: 1, 409: 49 });
    });

    it('that create the same scope', async () => {
      const create = (client: ApiClient) => client.post('/scopes', { slug: 'acme', name: 'x' });
      expect(await raceTally(50, create)).to.eql({ 201: 1, 409: 49 });
    });

    it('that grant to the same actor, and to the same type', async () => {
      const rooms = `/apps/${await newApp()}/rooms`;
      const grants = `${rooms}/${(await side(0).post(rooms, { name: 'x' })).body.roomId}/actors`;
      const { actorTokenId } = (await side(0).post('/actors', { name: 'x', actorType: 'user' })).body;
      for (const holder of [{ actorTokenId }, { actorType: 'agent' }]) {
        const grant = (client: ApiClient) => client.post(grants, { ...holder, permission: 'pubSub' });
        expect(await raceTally(50, grant)).to.eql({ 201: 1, 409: 49 });
      }
      expect((await side(1).get(grants)).body).to.have.length(2);
    });

    it('that add the same version of a blueprint', async () => {
      const { organizationId } = (await cluster.operator(apis[0]).post('/organizations', { name: 'O' })).body;
      const path = `/organizations/${organizationId}/blueprints`;
      const first = { name: 'b', version: '1.0.0', definition: {} };
      const { blueprintId } = (await cluster.operator(apis[0]).post(path, first)).body;
      const add = (version: string) => (_client: ApiClient, index: number) =>
        cluster
          .operator(apis[index % 2] as Member)
          .post(path, { blueprintId, name: 'b', version, definition: {} });
      expect(await raceTally(50, add('1.1.0'))).to.eql({ 201: 1, 409: 49 });
      const versions = Array.from({ length: 10 }, (_, index) => `2.${index}.0`);
      const added = await race(10, (client, index) => add(versions[index] as string)(client, index));
      expect(tally(added.map(({ status }) => status))).to.eql({ 201: 10 });
      const kept = (await cluster.operator(apis[1]).get(`${path}/${blueprintId}`)).body;
      expect(kept.versions).to.have.members(['1.0.0', '1.1.0', ...versions]);
      expect(kept.version).to.equal('2.9.0');
    });
  });

  it('know of a suspension and of a revoked session with the next request', async () => {
    const operator = cluster.operator(apis[0]);
    const { organizationId } = (await operator.post('/organizations', { name: 'O' })).body;
    const path = `/organizations/${organizationId}`;
    const secret = Buffer.from(cluster.environment['ROOMWIRE_SESSION_SECRET'] as string, 'base64');
    for (let round = 0; round < 10; round += 1) {
      const claims = { subject: `ada-${round}`, organizationIds: [organizationId], isOperator: false };
      // A revocation of a subject is about the sessions of earlier seconds.
      const clock = { ...systemClock, now: () => systemClock.now() - 5_000 };
      const ada = apiClient(apis[1].baseUrl, await mintSessionToken(secret, claims, 60, clock));
      const statusOf = async () => (await ada.post(`${path}/projects`, { name: 'P' })).status;
      expect(await statusOf()).to.equal(201);
      await operator.patch(path, { status: 'suspended' });
      expect(await statusOf()).to.equal(403);
      await operator.patch(path, { status: 'active' });
      expect(await statusOf()).to.equal(201);
      await operator.post(`${path}/session-revocations`, { subject: claims.subject });
      expect(await statusOf()).to.equal(401);
    }
  });

  it('never exceed the app limit of a plan', async () => {
    const limited = (await cluster.newProject({ maxApps: 7 }, ...apis)).clients;
    for (let round = 0; round < 3; round += 1) {
      const create = (_client: ApiClient, index: number) =>
        (limited[index % 2] as ApiClient).post('/apps', { name: 'x' });
      expect(await raceTally(50, create)).to.eql({ 201: 7, 403: 43 });
      const { data, pagination } = (await (limited[1] as ApiClient).get('/apps')).body;
      expect(pagination.total).to.equal(7);
      await Promise.all(
        (data as { appId: string }[]).map(({ appId }, index) =>
          (limited[index % 2] as ApiClient).delete(`/apps/${appId}`),
        ),
      );
    }
  });

  it('refuse to delete a scope that an actor has moved into', async () => {
    const seen = { gone: 0, kept: 0 };
    for (let round = 0; round < 25; round += 1) {
      const { accessScopeId } = (await side(0).post('/scopes', { slug: `s-${round}`, name: 'x' })).body;
      const actors = await race(4, (client) => client.post('/actors', { name: 'x', actorType: 'user' }));
      const requests = [
        ...actors.map(
          ({ body }, index) =>
            () =>
              side(index).patch(`/actors/${body.actorTokenId}`, { accessScopeId }),
        ),
        () => side(round).post('/actors', { name: 'y', actorType: 'user', accessScopeId }),
      ];
      // The deletions begin among the moves, at another of them in each round.
      const deletions = [0, 1].map((index) => () => side(index).delete(`/scopes/${accessScopeId}`));
      requests.splice(round % 3, 0, ...deletions);
      const answers = await Promise.all(requests.map((request) => request()));
      const removed = answers.splice(round % 3, 2).map(({ status }) => status);
      const moved = answers.filter(({ status }) => status < 300);
      expect(answers.every(({ status }) => [200, 201, 400].includes(status))).to.equal(true);
      const listed: { accessScopeId: unknown }[] = (await side(round).get('/actors')).body;
      const inside = listed.filter((actor) => actor.accessScopeId === accessScopeId);
      if (removed.includes(204)) {
        seen.gone += 1;
        expect([moved, inside], `round ${round}`).to.eql([[], []]);
        expect((await side(1).get(`/scopes/${accessScopeId}`)).status).to.equal(404);
      } else {
        seen.kept += 1;
        expect(removed, `round ${round}`).to.eql([409, 409]);
        expect(inside).to.have.length(moved.length).and.not.empty;
      }
    }
    expect(seen.gone, 'rounds in which the scope went').to.be.greaterThan(0);
    expect(seen.kept, 'rounds in which an actor came').to.be.greaterThan(0);
  });

  it('lose no field of concurrent PATCHes', async () => {
    const app = `/apps/${await newApp()}`;
    const room = `${app}/rooms/${(await side(0).post(`${app}/rooms`, { name: 'x' })).body.roomId}`;
    const { actorTokenId } = (await side(0).post('/actors', { name: 'x', actorType: 'user' })).body;
    const { accessScopeId } = (await side(0).post('/scopes', { slug: 'acme', name: 'x' })).body;
    const { signingKeyId } = (await side(0).post('/signing-keys', { name: 'x' })).body;
    for (let round = 0; round < 15; round += 1) {
      const [name, status, isActive] = [`n${round}`, round % 2 ? 'active' : 'disabled', round % 2 === 0];
      const metadata = { round };
      const changes: readonly [string, Readonly<Record<string, unknown>>][] = [
        [app, { name, status, description: `d${round}`, topics: [`t${round}`] }],
        [room, { name, status, description: `d${round}`, metadata }],
        [`/actors/${actorTokenId}`, { name, status, metadata }],
        [`/scopes/${accessScopeId}`, { name, isActive, metadata }],
        [`/signing-keys/${signingKeyId}`, { name, status }],
      ];
      const patches = changes.flatMap(([path, fields]) =>
        Object.entries(fields).map(([field, value]) => ({ path, change: { [field]: value } })),
      );
      const answers = await race(patches.length, (_client, index) => {
        const { path, change } = patches[index] as (typeof patches)[number];
        return side(index + round).patch(path, change);
      });
      expect(tally(answers.map(({ status: answered }) => answered))).to.eql({ 200: patches.length });
      for (const [path, fields] of changes)
        expect((await side(round).get(path)).body, path).to.deep.include(fields);
    }
  });

  it('show each write to the next read on the other', async () => {
    const app = `/apps/${await newApp()}`;
    const { accessScopeId } = (await side(0).post('/scopes', { slug: 'acme', name: 'x' })).body;
    const kinds = [
      { path: '/actors', body: { name: 'x', actorType: 'user', accessScopeId }, id: 'actorTokenId' },
      { path: `${app}/rooms`, body: {}, id: 'roomId' },
      { path: '/signing-keys', body: {}, id: 'signingKeyId' },
      { path: '/apps', body: {}, id: 'appId' },
    ] as const;
    for (let index = 0; index < 200; index += 1) {
      const { path, body, id } = kinds[index % kinds.length] as (typeof kinds)[number];
      const [writer, reader] = [side(index >> 2), side((index >> 2) + 1)];
      const made = (await writer.post(path, { ...body, name: `n${index}` })).body;
      const { accessToken, signingKey, ...shown } = made;
      const one = `${path}/${made[id]}`;
      expect((await reader.get(one)).body, `${index} ${typeof (accessToken ?? signingKey)}`).to.eql(shown);
      expect((await reader.patch(one, { name: 'changed' })).status).to.equal(200);
      expect((await writer.get(one)).body.name).to.equal('changed');
      if (index % 5 !== 0) continue;
      expect((await writer.delete(one)).status).to.be.oneOf([200, 204]);
      expect((await reader.get(one)).status).to.equal(404);
    }
  });
});
