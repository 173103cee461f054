import { expect } from 'chai';
import type { RowTest } from './appRows.js';
import { done, without } from './world.js';

const token = /^(at_live_[A-Za-z0-9]+)\.([\w-]{43,})$/;
const queue = '/organizations/{orgId}/webhook-dlq';

const actorRows: Readonly<Record<string, RowTest>> = {
  async 'GET /actors'({ service }) {
    const { client } = await service.newProject();
    expect(done(await client.get('/actors'))).to.eql([]);
    const newestFirst: unknown[] = [];
    for (let index = 0; index < 13; index += 1) {
      const made = done(await client.post('/actors', { name: `A${index}`, actorType: 'user' }));
      newestFirst.unshift(without('accessToken', made));
    }
    expect(done(await client.get('/actors'))).to.eql(newestFirst);
  },

  async 'POST /actors'({ own }) {
    const sent = {
      ...{ name: 'A', actorType: 'device', metadata: { a: 1 }, accessScopeId: own.ids.scopeId },
      expiresAt: '2099-01-01T00:00:00.000Z',
    };
    const actor = done(await own.project.post('/actors', sent));
    expect(actor).to.deep.include({
      ...sent,
      status: 'active',
      lastUsedAt: null,
      projectId: own.ids.projectId,
    });
    expect(token.exec(actor.accessToken)?.[1]).to.equal(actor.keyId);
    const { body } = await own.project.post('/actors', { name: 'B', actorType: 'observer' });
    expect(body).to.include({ expiresAt: null, metadata: null, accessScopeId: null });
    expect(body).to.not.have.property('actorId');
  },

  async 'GET /actors/{actorId}'({ own }) {
    const actor = without(
      'accessToken',
      done(await own.project.post('/actors', { name: 'A', actorType: 'agent' })),
    );
    for (const id of [actor.actorTokenId, actor.keyId])
      expect(done(await own.project.get(`/actors/${id}`))).to.eql(actor);
  },

  async 'PATCH /actors/{actorId}'({ own: { project, ids } }) {
    const actor = without(
      'accessToken',
      done(await project.post('/actors', { name: 'A', actorType: 'user' })),
    );
    const changes = {
      ...{ name: 'B', status: 'disabled', metadata: { b: 1 }, accessScopeId: ids.scopeId },
      expiresAt: '2099-01-01T00:00:00.000Z',
    };
    const changed = done(await project.patch(`/actors/${actor.keyId}`, changes));
    expect(changed).to.eql({ ...actor, ...changes, updatedAt: changed.updatedAt });
    const back = { name: 'A', status: 'active', metadata: null, accessScopeId: null, expiresAt: null };
    const again = done(await project.patch(`/actors/${actor.actorTokenId}`, back));
    expect(again).to.eql({ ...actor, updatedAt: again.updatedAt });
    expect((await project.patch(`/actors/${actor.keyId}`, { actorType: 'user' })).status).to.equal(400);
  },

  async 'DELETE /actors/{actorId}'({ own: { project } }) {
    for (const id of ['actorTokenId', 'keyId']) {
      const actor = done(await project.post('/actors', { name: 'A', actorType: 'user' }));
      const { status, body } = await project.delete(`/actors/${actor[id]}`);
      expect({ status, body }).to.eql({ status: 204, body: undefined });
      expect((await project.get(`/actors/${actor.actorTokenId}`)).status).to.equal(404);
      expect((await project.delete(`/actors/${actor[id]}`)).status).to.equal(404);
    }
  },
};

const scopeRows: Readonly<Record<string, RowTest>> = {
  async 'POST /scopes'({ own: { project, ids } }) {
    const sent = { slug: 'acme-9', name: 'Acme', description: 'D', metadata: { a: 1 } };
    const scope = done(await project.post('/scopes', sent));
    expect(scope).to.deep.include({ ...sent, isActive: true, projectId: ids.projectId });
    const bare = done(await project.post('/scopes', { slug: 'bare', name: 'B' }));
    expect(bare).to.include({ description: null, metadata: null, isActive: true });
  },

  async 'GET /scopes'({ service }) {
    const { client } = await service.newProject();
    const make = async (slug: string, name: string) => done(await client.post('/scopes', { slug, name }));
    const [one, two] = [await make('acme', 'Acme Corp'), await make('acme-2', 'Beta')];
    await client.patch(`/scopes/${one.accessScopeId}`, { isActive: false });
    const list = async (query: string) =>
      (done(await client.get(`/scopes?${query}`)).data as any[]).map(({ slug }) => slug as unknown);
    expect(await list('slug=acme')).to.eql([one.slug]);
    expect(await list('slug=ACME')).to.eql([]);
    expect(await list('name=ME%20co')).to.eql([one.slug]);
    expect(await list('isActive=true')).to.eql([two.slug]);
    expect(await list('isActive=false')).to.eql([one.slug]);
    expect(await list('limit=1&page=2&orderBy[]=name:DESC')).to.have.length(1);
  },

  async 'GET /scopes/{scopeId}'({ own: { project } }) {
    const scope = done(await project.post('/scopes', { slug: 'to-get', name: 'S', metadata: { a: 1 } }));
    expect(done(await project.get(`/scopes/${scope.accessScopeId}`))).to.eql(scope);
  },

  async 'PATCH /scopes/{scopeId}'({ own: { project } }) {
    const sent = { slug: 'to-patch', name: 'S', metadata: { a: 1, b: 2 } };
    const scope = done(await project.post('/scopes', sent));
    const path = `/scopes/${scope.accessScopeId}`;
    const changes = { name: 'T', description: 'D', metadata: { c: 3 }, isActive: false };
    const changed = done(await project.patch(path, changes));
    expect(changed).to.eql({ ...scope, ...changes, updatedAt: changed.updatedAt });
    expect((await project.patch(path, { slug: 'other' })).status).to.equal(400);
    expect(done(await project.patch(path, { isActive: true })).isActive).to.equal(true);
  },

  async 'DELETE /scopes/{scopeId}'({ own: { project } }) {
    const { accessScopeId } = done(await project.post('/scopes', { slug: 'to-delete', name: 'S' }));
    const actor = done(await project.post('/actors', { name: 'A', actorType: 'user', accessScopeId }));
    expect((await project.delete(`/scopes/${accessScopeId}`)).status).to.equal(409);
    done(await project.patch(`/actors/${actor.keyId}`, { accessScopeId: null }));
    const { status, body } = await project.delete(`/scopes/${accessScopeId}`);
    expect({ status, body }).to.eql({ status: 204, body: undefined });
    expect((await project.get(`/scopes/${accessScopeId}`)).status).to.equal(404);
    expect((await project.get(`/scopes/${accessScopeId}/actors`)).status).to.equal(404);
  },

  async 'GET /scopes/{scopeId}/actors'({ own: { project } }) {
    const { accessScopeId } = done(await project.post('/scopes', { slug: 'with-actors', name: 'S' }));
    const path = `/scopes/${accessScopeId}/actors`;
    expect(done(await project.get(path))).to.eql([]);
    const newestFirst: unknown[] = [];
    for (let index = 0; index < 12; index += 1) {
      const body = { name: `A${index}`, actorType: 'user', accessScopeId };
      const actor = without('accessToken', done(await project.post('/actors', body)));
      newestFirst.unshift(actor);
    }
    expect(done(await project.get(path))).to.eql(newestFirst);
    expect((await project.post(path, {})).status).to.equal(405);
  },
};

const signingKeyRows: Readonly<Record<string, RowTest>> = {
  async 'GET /signing-keys'({ service }) {
    const { client } = await service.newProject();
    const make = async (name: string) => done(await client.post('/signing-keys', { name }));
    const [one, two] = [await make('Mobile key'), await make('Web key')];
    done(await client.patch(`/signing-keys/${two.signingKeyId}`, { status: 'disabled' }));
    const list = async (query: string) =>
      (done(await client.get(`/signing-keys?${query}`)).data as any[]).map(({ name }) => name as unknown);
    expect(await list('name=MOBILE')).to.eql([one.name]);
    expect(await list('status=disabled')).to.eql([two.name]);
    expect(await list('orderBy[]=name:DESC')).to.eql([two.name, one.name]);
    expect(await list('limit=1&page=2')).to.eql([one.name]);
    const text = JSON.stringify(done(await client.get('/signing-keys')));
    for (const { signingKey } of [one, two])
      expect(text).to.not.include((signingKey as string).split('.')[1]);
  },

  async 'POST /signing-keys'({ own: { project, ids } }) {
    for (const environment of [undefined, 'live', 'sandbox']) {
      const key = done(
        await project.post('/signing-keys', { name: 'K', ...(environment && { environment }) }),
      );
      expect(key).to.include({ name: 'K', status: 'active', lastUsedAt: null, projectId: ids.projectId });
      expect(key.keyId).to.match(new RegExp(`^sk_${environment ?? 'live'}_[A-Za-z0-9]+$`));
      expect(key.signingKey).to.match(new RegExp(`^${key.keyId}\\.[\\w-]{43,}$`));
    }
  },

  async 'GET /signing-keys/{signingKeyId}'({ own: { project } }) {
    const key = without('signingKey', done(await project.post('/signing-keys', { name: 'K' })));
    expect(done(await project.get(`/signing-keys/${key.signingKeyId}`))).to.eql(key);
  },

  async 'PATCH /signing-keys/{signingKeyId}'({ own: { project } }) {
    const key = without('signingKey', done(await project.post('/signing-keys', { name: 'K' })));
    const path = `/signing-keys/${key.signingKeyId}`;
    const changes = { name: 'L', status: 'disabled' };
    const changed = done(await project.patch(path, changes));
    expect(changed).to.eql({ ...key, ...changes, updatedAt: changed.updatedAt });
    expect(done(await project.patch(path, { status: 'active' })).status).to.equal('active');
    expect((await project.patch(path, { signingKey: 'x' })).status).to.equal(400);
  },

  async 'DELETE /signing-keys/{signingKeyId}'({ own: { project } }) {
    const { signingKeyId } = done(await project.post('/signing-keys', { name: 'K' }));
    const { status, body } = await project.delete(`/signing-keys/${signingKeyId}`);
    expect({ status, body }).to.eql({ status: 204, body: undefined });
    expect((await project.get(`/signing-keys/${signingKeyId}`)).status).to.equal(404);
  },
};

/** In this order: an entry is read, marked and then deleted. */
const deadLetterRows: Readonly<Record<string, RowTest>> = {
  async [`GET ${queue}`]({ service, own }) {
    const client = service.client(own.sessionToken);
    const path = queue.replace('{orgId}', own.ids.orgId);
    const list = async (query: string) => {
      const { data, pagination } = done(await client.get(`${path}?${query}`));
      return [(data as any[]).map(({ status }) => status as unknown), pagination];
    };
    const page = { total: 2, limit: 50, offset: 0 };
    expect(await list('')).to.eql([['failed', 'pending'], page]);
    expect(await list('status=pending')).to.eql([['pending'], { ...page, total: 1 }]);
    expect(await list('status=dead')).to.eql([[], { ...page, total: 0 }]);
    expect(await list('limit=1&offset=1')).to.eql([['pending'], { total: 2, limit: 1, offset: 1 }]);
  },

  async [`GET ${queue}/{dlqId}`]({ service, own }) {
    const path = `${queue.replace('{orgId}', own.ids.orgId)}/${own.ids.dlqId}`;
    const entry = done(await service.client(own.sessionToken).get(path));
    expect(entry).to.include({ dlqId: own.ids.dlqId, status: 'pending', responseStatus: 503, retryCount: 2 });
    expect(entry.requestBody).to.have.all.keys('roomName', 'topicName', 'actorId', 'data', 'scope');
  },

  async [`GET ${queue}/stats/pending-count`]({ service, foreign }) {
    const path = `${queue.replace('{orgId}', foreign.ids.orgId)}/stats/pending-count`;
    expect(done(await service.client(foreign.sessionToken).get(path))).to.eql({ count: 1 });
  },

  async [`DELETE ${queue}/{dlqId}/mark-dead`]({ service, own }) {
    const client = service.client(own.sessionToken);
    const entries = queue.replace('{orgId}', own.ids.orgId);
    const path = `${entries}/${own.ids.dlqId}`;
    const before = done(await client.get(path));
    const dead = done(await client.delete(`${path}/mark-dead`));
    expect(dead).to.eql({ ...before, status: 'dead', updatedAt: dead.updatedAt });
    expect(done(await client.get(path))).to.eql(dead);
    expect(done(await client.get(`${entries}/stats/pending-count`))).to.eql({ count: 0 });
  },

  async [`DELETE ${queue}/{dlqId}`]({ service, own }) {
    const client = service.client(own.sessionToken);
    const path = `${queue.replace('{orgId}', own.ids.orgId)}/${own.ids.dlqId}`;
    expect((await client.delete(path)).status).to.equal(204);
    expect((await client.get(path)).status).to.equal(404);
  },
};

export const actorRowTests = { ...actorRows, ...scopeRows, ...signingKeyRows, ...deadLetterRows };
