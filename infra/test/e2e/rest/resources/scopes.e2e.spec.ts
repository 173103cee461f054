import { expect } from 'chai';
import type { ApiClient } from '../../../support/apiClient.js';
import {
  expectApplicationError,
  expectTime,
  expectUuid,
  expectValidationError,
} from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

const nowhere = '11111111-2222-4333-8444-555555555555';

describe('REST scopes', () => {
  let service: TestService;
  let client: ApiClient;
  let projectId: string;

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => void ({ client, projectId } = await service.newProject()));

  const newScope = async (slug: string, more: object = {}): Promise<any> =>
    (await client.post('/scopes', { slug, name: slug, ...more })).body;
  const newActor = async (more: object = {}): Promise<any> =>
    (await client.post('/actors', { name: 'x', actorType: 'user', ...more })).body;
  const slugs = async (query: string): Promise<string[]> =>
    ((await client.get(`/scopes?${query}`)).body.data as { slug: string }[]).map(({ slug }) => slug);

  // POST /scopes: required slug, name. Optional description, metadata. 201, the scope.
  it('creates a scope', async () => {
    const { status, body } = await client.post('/scopes', { slug: 'acme', name: 'Acme' });
    expect(status).to.equal(201);
    expect(body).to.have.all.keys(
      ...['accessScopeId', 'projectId', 'slug', 'name', 'description', 'metadata', 'isActive'],
      ...['createdAt', 'updatedAt'],
    );
    expect(body).to.deep.include({
      projectId,
      slug: 'acme',
      name: 'Acme',
      description: null,
      metadata: null,
      isActive: true,
    });
    expectUuid(body.accessScopeId);
    expectTime(body.createdAt);
    expect(body.updatedAt).to.equal(body.createdAt);
    const sent = { slug: 'b-1', name: 'B', description: 'd', metadata: { a: { b: [1] } } };
    expect((await client.post('/scopes', sent)).body).to.deep.include(sent);
  });

  // slug: regex ^[a-z0-9][a-z0-9-]*[a-z0-9]$, max 100; name: max 255; description: max 500; metadata: object or null.
  it('accepts fields up to their limits, and refuses longer ones', async () => {
    const longest = {
      slug: 'a'.repeat(100),
      name: 'n'.repeat(255),
      description: 'd'.repeat(500),
      metadata: null,
    };
    expect((await client.post('/scopes', longest)).body).to.deep.include(longest);
    expect((await client.post('/scopes', { slug: 'a1', name: 'n', description: null })).status).to.equal(201);
    for (const slug of [
      'a',
      '',
      '-',
      '-a',
      'a-',
      'A1',
      'a_1',
      'a b',
      'é1',
      'a/b',
      'ab\n',
      'a'.repeat(101),
      7,
      null,
    ])
      expectValidationError(await client.post('/scopes', { slug, name: 'n' }), 'slug');
    expectValidationError(await client.post('/scopes', {}), 'slug', 'name');
    expectValidationError(
      await client.post('/scopes', {
        slug: 'ok',
        name: 'n'.repeat(256),
        description: 'd'.repeat(501),
        metadata: [],
        isActive: true,
      }),
      'name',
      'description',
      'metadata',
      'isActive',
    );
  });

  // 409: duplicate scope slug.
  it('refuses a slug that the project already has, and frees it with the scope', async () => {
    const { accessScopeId } = await newScope('acme');
    expectApplicationError(
      await client.post('/scopes', { slug: 'acme', name: 'Other' }),
      409,
      'A scope with slug "acme" already exists in this project',
    );
    const other = await service.newProject();
    expect((await other.client.post('/scopes', { slug: 'acme', name: 'A' })).status).to.equal(201);
    expect((await client.delete(`/scopes/${accessScopeId}`)).status).to.equal(204);
    const again = await client.post('/scopes', { slug: 'acme', name: 'Again' });
    expect(again.status).to.equal(201);
    expect(again.body.accessScopeId).to.not.equal(accessScopeId);
  });

  // GET /scopes: page, limit, orderBy[]; always ordered by createdAt descending.
  it('lists scopes by page, the newest first, also when another order is requested', async () => {
    for (let index = 0; index < 12; index += 1) await newScope(`s-${index}`);
    const { status, body } = await client.get('/scopes');
    expect(status).to.equal(200);
    expect(body.pagination).to.eql({ total: 12, page: 1, pageCount: 2 });
    expect((body.data as { slug: string }[]).map(({ slug }) => slug)).to.eql(
      Array.from({ length: 10 }, (_, index) => `s-${11 - index}`),
    );
    expect(await slugs('page=2')).to.eql(['s-1', 's-0']);
    expect(await slugs('page=3&limit=5')).to.eql(['s-1', 's-0']);
    expect((await client.get('/scopes?limit=1000')).body.data).to.have.length(12);
    expect((await client.get('/scopes?limit=0')).body.data).to.have.length(1);
  });

  // orderBy[] only breaks ties.
  it('applies a requested order only to scopes of the same moment', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, index) => newScope(`s-${index}`)));
    const { body } = await client.get('/scopes?limit=100&orderBy[]=slug:ASC');
    const listed = body.data as { slug: string; createdAt: string }[];
    const sorted = [...listed].sort((a, b) => compare(b.createdAt, a.createdAt) || compare(a.slug, b.slug));
    expect(listed.map(({ slug }) => slug)).to.eql(sorted.map(({ slug }) => slug));
    expect(new Set(listed.map(({ createdAt }) => createdAt)).size).to.be.lessThan(40);
    for (const bad of ['orderBy=slug:ASC', 'orderBy[]=slug', 'orderBy[]=metadata:ASC', 'orderBy[]=slug:up'])
      expect((await client.get(`/scopes?${bad}`)).status, bad).to.equal(400);
  });

  // GET /scopes: slug (exact match), name (case-insensitive substring), isActive (string true or false).
  it('filters by slug, name and activity', async () => {
    await newScope('acme', { name: 'Acme North' });
    await newScope('acme-2', { name: 'ACME south' });
    const { accessScopeId } = await newScope('other', { name: 'Other' });
    await client.patch(`/scopes/${accessScopeId}`, { isActive: false });
    expect(await slugs('slug=acme')).to.eql(['acme']);
    expect(await slugs('slug=acm')).to.eql([]);
    expect(await slugs('name=aCmE')).to.eql(['acme-2', 'acme']);
    expect(await slugs('name=acme&slug=acme-2')).to.eql(['acme-2']);
    expect(await slugs('isActive=true')).to.eql(['acme-2', 'acme']);
    expect(await slugs('isActive=false')).to.eql(['other']);
    expect((await client.get('/scopes?isActive=false')).body.pagination.total).to.equal(1);
    for (const bad of ['1', 'TRUE', '', 'no'])
      expectValidationError(await client.get(`/scopes?isActive=${bad}`), 'isActive');
    expect((await client.get('/scopes?isActive=true&isActive=false')).status).to.equal(400);
  });

  it('matches pattern characters literally', async () => {
    const names = ['a.c', 'abc', '(x', 'x)', '[a-z]', 'a|b', '^a$', 'a*', '\\d', 'a+b?', '{1}', '/a/', 'a-b'];
    for (const [index, name] of names.entries()) await newScope(`s-${index}`, { name });
    for (const [index, name] of names.entries()) {
      const expected = names.flatMap((each, at) => (each.includes(name) ? [`s-${at}`] : [])).reverse();
      expect(expected).to.include(`s-${index}`);
      expect(await slugs(`limit=100&name=${encodeURIComponent(name)}`), name).to.eql(expected);
    }
    const before = performance.now();
    expect(await slugs(`name=${encodeURIComponent(`${'(a+)+'.repeat(20)}$`)}`)).to.eql([]);
    expect(performance.now() - before).to.be.lessThan(5000);
  });

  // GET and PATCH /scopes/{scopeId}: name, description, metadata (replaces the stored object), isActive.
  it('changes a scope, but not its slug', async () => {
    const scope = await newScope('acme', { metadata: { a: 1, b: 2 } });
    const path = `/scopes/${scope.accessScopeId}`;
    expect((await client.get(path)).body).to.eql(scope);
    const changes = { name: 'New', description: 'x', metadata: { b: 3 }, isActive: false };
    const { status, body } = await client.patch(path, changes);
    expect(status).to.equal(200);
    expect(body).to.deep.include({ ...changes, slug: 'acme' });
    expect((await client.get(path)).body).to.eql(body);
    expect((await client.patch(path, {})).body).to.eql(body);
    const cleared = await client.patch(path, { description: null, metadata: null, isActive: true });
    expect(cleared.body).to.deep.include({ description: null, metadata: null, isActive: true, name: 'New' });
    expectValidationError(await client.patch(path, { slug: 'new' }), 'slug');
    expectValidationError(
      await client.patch(path, { name: '', description: 'd'.repeat(501), metadata: 1, isActive: 'true' }),
      ...['name', 'description', 'metadata', 'isActive'],
    );
  });

  // 400: invalid UUID. 404: does not exist, was deleted, or belongs to another project.
  it('answers 404 for a scope of another project or a deleted one', async () => {
    const other = await service.newProject();
    const foreign = (await other.client.post('/scopes', { slug: 'acme', name: 'A' })).body.accessScopeId;
    const gone = (await newScope('gone')).accessScopeId;
    const deleted = await client.delete(`/scopes/${gone}`);
    expect([deleted.status, deleted.body]).to.eql([204, undefined]);
    for (const id of [foreign, gone, nowhere])
      for (const answer of [
        await client.get(`/scopes/${id}`),
        await client.patch(`/scopes/${id}`, { name: 'x' }),
        await client.delete(`/scopes/${id}`),
        await client.get(`/scopes/${id}/actors`),
      ])
        expectApplicationError(answer, 404, `Access scope ${id} not found`);
    for (const path of ['/scopes/x', '/scopes/x/actors'])
      expectApplicationError(await client.get(path), 400, 'Invalid scopeId UUID format');
    expect((await client.get('/scopes')).body.data).to.eql([]);
    expect((await other.client.get(`/scopes/${foreign}`)).status).to.equal(200);
  });

  // DELETE /scopes/{scopeId}: 204; 409 while any actor is assigned.
  it('refuses to delete a scope that has actors', async () => {
    const { accessScopeId } = await newScope('acme');
    const actors = [await newActor({ accessScopeId }), await newActor({ accessScopeId }), await newActor()];
    await client.patch(`/actors/${actors[2].keyId}`, { accessScopeId });
    const inUse = (count: number) =>
      `Cannot delete scope: ${count} actor(s) are still assigned to it. Unscope them first.`;
    const path = `/scopes/${accessScopeId}`;
    expectApplicationError(await client.delete(path), 409, inUse(3));
    await client.patch(`/actors/${actors[0].actorTokenId}`, { accessScopeId: null });
    expectApplicationError(await client.delete(path), 409, inUse(2));
    await client.delete(`/actors/${actors[1].actorTokenId}`);
    expectApplicationError(await client.delete(path), 409, inUse(1));
    const { accessScopeId: elsewhere } = await newScope('elsewhere');
    await client.patch(`/actors/${actors[2].actorTokenId}`, { accessScopeId: elsewhere });
    expect((await client.delete(path)).status).to.equal(204);
    expectApplicationError(await client.delete(`/scopes/${elsewhere}`), 409, inUse(1));
  });

  // GET /scopes/{scopeId}/actors: 200 plain array of actors (without accessToken), newest first.
  it('lists its actors, the newest first', async () => {
    const { accessScopeId } = await newScope('acme');
    const path = `/scopes/${accessScopeId}/actors`;
    expect((await client.get(path)).body).to.eql([]);
    for (const name of ['a', 'b', 'c']) await newActor({ name, accessScopeId });
    await newActor({ name: 'outside' });
    const { status, body } = await client.get(`${path}?limit=1`);
    expect(status).to.equal(200);
    expect((body as { name: string }[]).map(({ name }) => name)).to.eql(['c', 'b', 'a']);
    expect(body[0]).to.eql((await client.get(`/actors/${body[0].keyId}`)).body);
    expect(JSON.stringify(body)).to.not.match(/accessToken|secret|scopeMembershipId/);
    expect((await client.post(path, { name: 'x' })).status).to.equal(405);
  });
});

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
