import { expect } from 'chai';
import type { ApiClient } from '../../../support/apiClient.js';
import {
  expectApplicationError,
  expectTime,
  expectUuid,
  expectValidationError,
} from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

describe('REST actors', () => {
  let service: TestService;
  let client: ApiClient;
  let projectId: string;

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => void ({ client, projectId } = await service.newProject()));

  it('creates an actor and shows its access token only then', async () => {
    const { status, body } = await client.post('/actors', { name: 'Ada', actorType: 'user' });
    expect(status).to.equal(201);
    const { accessToken, ...shown } = body;
    expect(accessToken).to.match(/^at_live_[0-9a-f]{24}\.[A-Za-z0-9_-]{49}$/);
    expect((accessToken as string).split('.')[0]).to.equal(shown.keyId);
    expectUuid(shown.actorTokenId);
    expectTime(shown.createdAt);
    expect(shown).to.deep.include({
      projectId,
      accessScopeId: null,
      name: 'Ada',
      actorType: 'user',
      status: 'active',
      expiresAt: null,
      lastUsedAt: null,
      metadata: null,
    });
    for (const id of [shown.actorTokenId, shown.keyId])
      expect((await client.get(`/actors/${id}`)).body).to.eql(shown);
    expect((await client.get('/actors')).body).to.eql([shown]);
    expect(JSON.stringify(await client.get('/actors'))).to.not.match(/actorId|secret|accessToken/);
  });

  it('refuses an access scope that is not of the project', async () => {
    const accessScopeId = '11111111-2222-4333-8444-555555555555';
    const message = `Access scope ${accessScopeId} does not belong to this project`;
    expectApplicationError(
      await client.post('/actors', { name: 'x', actorType: 'user', accessScopeId }),
      400,
      message,
    );
    const { actorTokenId } = (await client.post('/actors', { name: 'x', actorType: 'user' })).body;
    expectApplicationError(await client.patch(`/actors/${actorTokenId}`, { accessScopeId }), 400, message);
    expect((await client.patch(`/actors/${actorTokenId}`, { accessScopeId: null })).status).to.equal(200);
  });

  // PATCH /actors/{actorId}: accessScopeId is a scope UUID of the same project, or null to clear.
  it('shows the scope that an actor was created in or moved to', async () => {
    const newScope = async (slug: string): Promise<string> =>
      (await client.post('/scopes', { slug, name: slug })).body.accessScopeId;
    const [first, second] = [await newScope('first'), await newScope('second')];
    const inScope = async (scope: string): Promise<string[]> =>
      ((await client.get(`/scopes/${scope}/actors`)).body as { actorTokenId: string }[]).map(
        (actor) => actor.actorTokenId,
      );
    const made = await client.post('/actors', { name: 'x', actorType: 'user', accessScopeId: first });
    expect([made.status, made.body.accessScopeId]).to.eql([201, first]);
    const { actorTokenId, keyId } = made.body;
    expect(await inScope(first)).to.eql([actorTokenId]);
    const moved = await client.patch(`/actors/${keyId}`, { accessScopeId: second, name: 'y' });
    expect(moved.body).to.include({ accessScopeId: second, name: 'y' });
    expect([await inScope(first), await inScope(second)]).to.eql([[], [actorTokenId]]);
    const stayed = await client.patch(`/actors/${actorTokenId}`, { accessScopeId: second.toUpperCase() });
    expect(stayed.body).to.eql(moved.body);
    expect((await client.patch(`/actors/${actorTokenId}`, { name: 'z' })).body.accessScopeId).to.equal(
      second,
    );
    const cleared = await client.patch(`/actors/${actorTokenId}`, { accessScopeId: null });
    expect(cleared.body.accessScopeId).to.equal(null);
    for (const scope of [first, second])
      expect((await client.delete(`/scopes/${scope}`)).status).to.equal(204);
  });

  it('moves an actor into an inactive scope, and changes nothing for a deleted scope or one of another project', async () => {
    const scope = (await client.post('/scopes', { slug: 'acme', name: 'A' })).body.accessScopeId;
    const other = await service.newProject();
    const foreign = (await other.client.post('/scopes', { slug: 'acme', name: 'A' })).body.accessScopeId;
    const gone = (await client.post('/scopes', { slug: 'gone', name: 'G' })).body.accessScopeId;
    await client.delete(`/scopes/${gone}`);
    await client.patch(`/scopes/${scope}`, { isActive: false });
    const actor = (await client.post('/actors', { name: 'x', actorType: 'user' })).body;
    const path = `/actors/${actor.actorTokenId}`;
    expect((await client.patch(path, { accessScopeId: scope })).status).to.equal(200);
    for (const accessScopeId of [foreign, gone])
      expectApplicationError(
        await client.patch(path, { accessScopeId, name: 'y' }),
        400,
        `Access scope ${accessScopeId} does not belong to this project`,
      );
    expect((await client.get(path)).body).to.include({ name: 'x', accessScopeId: scope });
  });

  it('lists the newest first, as a plain array', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await client.post('/actors', { name, actorType: 'device' });
    const { body } = await client.get('/actors?page=2&orderBy=name');
    expect((body as { name: string }[]).map(({ name }) => name)).to.eql(['d', 'c', 'b', 'a']);
  });

  it('changes an actor by either identifier, but not its type', async () => {
    const actor = (await client.post('/actors', { name: 'Ada', actorType: 'agent' })).body;
    const changed = await client.patch(`/actors/${actor.keyId}`, {
      name: 'Eve',
      status: 'disabled',
      expiresAt: '2030-01-01T02:00:00+02:00',
      metadata: { a: 1 },
    });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.deep.include({
      actorTokenId: actor.actorTokenId,
      name: 'Eve',
      status: 'disabled',
      expiresAt: '2030-01-01T00:00:00.000Z',
      metadata: { a: 1 },
    });
    const cleared = await client.patch(`/actors/${actor.actorTokenId}`, {
      status: 'active',
      expiresAt: null,
      metadata: null,
    });
    expect(cleared.body).to.deep.include({ status: 'active', expiresAt: null, metadata: null });
    expect((await client.get(`/actors/${actor.keyId}`)).body).to.eql(cleared.body);
    expectValidationError(await client.patch(`/actors/${actor.keyId}`, { actorType: 'user' }), 'actorType');
  });

  it('deletes an actor', async () => {
    const actor = (await client.post('/actors', { name: 'Ada', actorType: 'user' })).body;
    const deleted = await client.delete(`/actors/${actor.keyId}`);
    expect([deleted.status, deleted.body]).to.eql([204, undefined]);
    for (const id of [actor.actorTokenId, actor.keyId])
      expectApplicationError(await client.get(`/actors/${id}`), 404, `Actor token ${id} not found`);
    expect((await client.get('/actors')).body).to.eql([]);
  });

  it('loses no field when different fields change concurrently', async () => {
    const { actorTokenId } = (await client.post('/actors', { name: 'Ada', actorType: 'user' })).body;
    const path = `/actors/${actorTokenId}`;
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all([
        client.patch(path, { name: `n${round}` }),
        client.patch(path, { metadata: { round } }),
        client.patch(path, { status: round % 2 === 0 ? 'disabled' : 'active' }),
      ]);
      expect(answers.map(({ status }) => status)).to.eql([200, 200, 200]);
      expect((await client.get(path)).body).to.deep.include({
        name: `n${round}`,
        metadata: { round },
        status: round % 2 === 0 ? 'disabled' : 'active',
      });
    }
  });
});
