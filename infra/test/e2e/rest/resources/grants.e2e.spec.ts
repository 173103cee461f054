import { expect } from 'chai';
import type { ApiClient } from '../../../support/apiClient.js';
import {
  expectApplicationError,
  expectFrameworkError,
  expectTime,
  expectUuid,
  expectValidationError,
} from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

const nowhere = '11111111-2222-4333-8444-555555555555';
const taken = 'That actor already has a grant on this room. Update it instead.';

describe('REST room grants', () => {
  let service: TestService;
  let client: ApiClient;
  let projectId: string;
  let appId: string;
  let roomId: string;
  let grants: string;
  let actorTokenId: string;

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => {
    ({ client, projectId } = await service.newProject());
    appId = (await client.post('/apps', { name: 'App', topics: ['chat'] })).body.appId;
    roomId = (await client.post(`/apps/${appId}/rooms`, { name: 'Room' })).body.roomId;
    grants = `/apps/${appId}/rooms/${roomId}/actors`;
    ({ actorTokenId } = (await client.post('/actors', { name: 'Ada', actorType: 'user' })).body);
  });

  // POST: permission and exactly one of actorTokenId, actorType. isActive is true by default. 201.
  it('grants access to an actor, or to an actor type', async () => {
    const { status, body } = await client.post(grants, { actorTokenId, permission: 'pubSub' });
    expect(status).to.equal(201);
    const { roomActorAccessId, createdAt, updatedAt, ...rest } = body;
    expectUuid(roomActorAccessId);
    expectTime(createdAt);
    expect(updatedAt).to.equal(createdAt);
    expect(rest).to.eql({
      appId,
      roomId,
      actorTokenId,
      actorType: null,
      permission: 'pubSub',
      topics: null,
      expiresAt: null,
      isActive: true,
      role: null,
      metadata: null,
    });
    const sent = {
      actorType: 'device',
      permission: 'subscribe',
      topics: ['chat', 'webrtc:offer'],
      isActive: false,
      role: 'viewer',
      metadata: { a: [1] },
    };
    const byType = await client.post(grants, { ...sent, expiresAt: '2030-01-01T02:00:00+02:00' });
    expect(byType.body).to.deep.include({
      ...sent,
      actorTokenId: null,
      expiresAt: '2030-01-01T00:00:00.000Z',
    });
    // GET: a plain array of every grant, unless the query asks for a page.
    const listed = await client.get(`${grants}?name=x&page=9`);
    expect([listed.status, listed.body]).to.eql([200, [body, byType.body]]);
  });

  it('accepts every type and every permission, and no other value', async () => {
    const types = ['device', 'user', 'service', 'session', 'agent', 'orchestrator', 'observer'];
    const permissions = ['subscribe', 'publish', 'pubSub'];
    for (const [index, actorType] of types.entries()) {
      const permission = permissions[index % 3];
      expect((await client.post(grants, { actorType, permission })).status, actorType).to.equal(201);
    }
    expectValidationError(
      await client.post(grants, { actorType: 'robot', permission: 'admin' }),
      'actorType',
      'permission',
    );
  });

  it('names every failed constraint', async () => {
    expectValidationError(await client.post(grants, {}), 'permission');
    expectValidationError(
      await client.post(grants, {
        permission: 'all',
        actorTokenId: 'x',
        topics: ['no topic'],
        expiresAt: 'soon',
        isActive: 'yes',
        role: 'r'.repeat(256),
        metadata: [],
        actorId: nowhere,
      }),
      ...['permission', 'actorTokenId', 'topics.0', 'expiresAt', 'isActive', 'role', 'metadata', 'actorId'],
    );
  });

  // 400: neither actorTokenId nor actorType on a grant.
  it('requires exactly one holder', async () => {
    expectApplicationError(
      await client.post(grants, { permission: 'publish' }),
      400,
      'Either actorTokenId or actorType must be provided.',
    );
    expectValidationError(
      await client.post(grants, { permission: 'publish', actorTokenId, actorType: 'user' }),
      'actorType',
    );
    expect((await client.get(grants)).body).to.eql([]);
  });

  // 404: grant for an actor of another project.
  it('answers 404 for an actor of another project or a deleted one', async () => {
    const other = await service.newProject();
    const foreign = (await other.client.post('/actors', { name: 'x', actorType: 'user' })).body.actorTokenId;
    const gone = (await client.post('/actors', { name: 'x', actorType: 'user' })).body.actorTokenId;
    await client.delete(`/actors/${gone}`);
    for (const id of [foreign, gone, nowhere])
      expectApplicationError(
        await client.post(grants, { permission: 'publish', actorTokenId: id }),
        404,
        `Actor token ${id} not found in this project`,
      );
    const upper = await client.post(grants, {
      permission: 'publish',
      actorTokenId: actorTokenId.toUpperCase(),
    });
    expect([upper.status, upper.body.actorTokenId]).to.eql([201, actorTokenId]);
  });

  // 409: duplicate room grant (revoke first).
  it('accepts one grant for a holder, whatever its permission', async () => {
    const expiresAt = '2000-01-01T00:00:00.000Z';
    const expired = (await client.post(grants, { actorTokenId, permission: 'publish', expiresAt })).body;
    const inactive = await client.post(grants, { actorType: 'user', permission: 'publish', isActive: false });
    expect(inactive.status).to.equal(201);
    for (const holder of [{ actorTokenId }, { actorType: 'user' }])
      expectApplicationError(await client.post(grants, { ...holder, permission: 'pubSub' }), 409, taken);
    const revoked = await client.delete(`${grants}/${expired.roomActorAccessId}`);
    expect([revoked.status, revoked.body]).to.eql([204, undefined]);
    expect((await client.post(grants, { actorTokenId, permission: 'pubSub' })).status).to.equal(201);
    expect((await client.get(grants)).body).to.have.length(2);
  });

  // DELETE: 204. 404: `Room grant <id> not found`.
  it('revokes a grant once, and only on its room', async () => {
    const { roomActorAccessId } = (await client.post(grants, { actorTokenId, permission: 'publish' })).body;
    const other = (await client.post(`/apps/${appId}/rooms`, { name: 'Other' })).body.roomId;
    const notFound = `Room grant ${roomActorAccessId} not found`;
    const elsewhere = `/apps/${appId}/rooms/${other}/actors/${roomActorAccessId}`;
    expectApplicationError(await client.delete(elsewhere), 404, notFound);
    expect((await client.delete(`${grants}/${roomActorAccessId}`)).status).to.equal(204);
    expectApplicationError(await client.delete(`${grants}/${roomActorAccessId}`), 404, notFound);
    expectApplicationError(await client.delete(`${grants}/x`), 400, 'Invalid roomActorAccessId UUID format');
    expect((await client.get(grants)).body).to.eql([]);
  });

  // 404: `Room <id> not found`, `App <id> not found in project <id>` (framework shape).
  it('requires an existing room and app', async () => {
    const { roomActorAccessId } = (await client.post(grants, { actorTokenId, permission: 'publish' })).body;
    const all = async (path: string) => [
      await client.get(path),
      await client.post(path, { actorTokenId, permission: 'publish' }),
      await client.delete(`${path}/${roomActorAccessId}`),
    ];
    const otherApp = (await client.post('/apps', { name: 'Other' })).body.appId;
    for (const [app, room] of [
      [appId, nowhere],
      [otherApp, roomId],
    ])
      for (const answer of await all(`/apps/${app}/rooms/${room}/actors`))
        expectApplicationError(answer, 404, `Room ${room} not found`);
    const other = await service.newProject();
    const foreignApp = (await other.client.post('/apps', { name: 'Foreign' })).body.appId;
    for (const app of [nowhere, foreignApp])
      for (const answer of await all(`/apps/${app}/rooms/${roomId}/actors`))
        expectFrameworkError(answer, 404, `App ${app} not found in project ${projectId}`, 'Not Found');
  });

  it('are deleted with their room, and with their app', async () => {
    await client.post(grants, { actorTokenId, permission: 'publish' });
    await client.delete(`/apps/${appId}/rooms/${roomId}`);
    expectApplicationError(await client.get(grants), 404, `Room ${roomId} not found`);
    const again = (await client.post(`/apps/${appId}/rooms`, { name: 'Room' })).body.roomId;
    const path = `/apps/${appId}/rooms/${again}/actors`;
    expect((await client.get(path)).body).to.eql([]);
    const { body } = await client.post(path, { actorTokenId, permission: 'publish' });
    await client.delete(`/apps/${appId}`);
    for (const answer of [
      await client.get(path),
      await client.post(path, { actorType: 'user', permission: 'publish' }),
      await client.delete(`${path}/${body.roomActorAccessId}`),
    ])
      expectFrameworkError(answer, 404, `App ${appId} not found in project ${projectId}`, 'Not Found');
  });
});
