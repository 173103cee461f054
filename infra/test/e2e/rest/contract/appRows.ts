import { expect } from 'chai';
import { done, type World } from './world.js';

/** The test of a row of the endpoint tables: that it does what its row says, to the last field. */
export type RowTest = (world: World) => Promise<void>;

const newApp = async ({ own }: World, more: object = {}) =>
  done(await own.project.post('/apps', { name: 'App', topics: ['chat', 'news'], ...more }));

const blueprintWith = async ({ own, service }: World, ...versions: (readonly [string, object])[]) => {
  const path = `/organizations/${own.ids.orgId}/blueprints`;
  let blueprintId: string | undefined;
  for (const [version, definition] of versions) {
    const body = { version, definition, ...(blueprintId ? { blueprintId } : { name: 'Blueprint' }) };
    blueprintId = done(await service.operator.post(path, body)).blueprintId as string;
  }
  return blueprintId;
};

const idsIn = (rows: readonly any[], id: string): unknown[] => rows.map((row) => row[id]);

const webhook = { url: 'https://example.com/hook?key=1', headers: { 'x-key': 'a' } };
const everySetting = {
  description: 'An app',
  config: { autoProvisionRooms: true },
  topics: ['chat', 'a:b'],
  topicConfigs: {
    chat: {
      logging: { enabled: true, retention: '7d', replayEnabled: true, maxReplayMessages: 5 },
      webhooks: { onSubscribe: webhook, onPublish: { url: webhook.url } },
    },
  },
  hydrationWebhook: webhook,
  triggerWebhook: webhook,
  dependencies: { zod: '^3' },
  files: [{ path: 'index.ts' }],
};

const appRows: Readonly<Record<string, RowTest>> = {
  async 'GET /apps'(world) {
    const { client } = await world.service.newProject();
    const make = async (name: string) => done(await client.post('/apps', { name }));
    const [one, two, three] = [await make('Alpha one'), await make('Alpha two'), await make('Beta')];
    await client.patch(`/apps/${two.appId}`, { status: 'disabled' });
    const list = async (query: string) => idsIn(done(await client.get(`/apps?${query}`)).data, 'appId');
    expect(await list('name=ALPHA&orderBy[]=name:ASC')).to.eql([one.appId, two.appId]);
    expect(await list('orderBy[]=name:DESC&limit=1&page=2')).to.eql([two.appId]);
    expect(await list('status=disabled')).to.eql([two.appId]);
    expect(await list('status=active&name=beta')).to.eql([three.appId]);
    expect(await list('status=suspended')).to.eql([]);
    const { ids, project } = world.own;
    const { data } = done(await project.get(`/apps?blueprintId=${ids.blueprintId}`));
    expect(idsIn(data, 'appId')).to.eql([ids.appId]);
  },

  async 'POST /apps'(world) {
    const app = await newApp(world, { ...everySetting, slug: 'mine', framework: 'next' });
    expect(app.slug).to.match(/^mine-[0-9a-f]{4}$/);
    expect(app).to.deep.include({ ...everySetting, framework: 'next', status: 'active', blueprintId: null });
    expect((await newApp(world, { name: 'Café  No. 1!' })).slug).to.match(/^cafe-no-1-[0-9a-f]{4}$/);
    const blueprintId = await blueprintWith(
      world,
      ['1.9.0', { topics: ['old'] }],
      ['1.10.0', { topics: ['new'] }],
    );
    const latest = done(await world.own.project.post('/apps', { name: 'A', blueprintId }));
    expect(latest).to.deep.include({ blueprintId, blueprintVersion: '1.10.0', topics: ['new'] });
    const blueprintVersion = '1.9.0';
    const older = done(await world.own.project.post('/apps', { name: 'A', blueprintId, blueprintVersion }));
    expect(older).to.deep.include({ blueprintId, blueprintVersion, topics: ['old'] });
  },

  async 'GET /apps/{appId}'(world) {
    const app = await newApp(world, everySetting);
    expect(done(await world.own.project.get(`/apps/${app.appId}`))).to.eql(app);
  },

  async 'PATCH /apps/{appId}'(world) {
    const app = await newApp(world);
    const changes = {
      ...everySetting,
      name: 'B',
      slug: 'as-sent',
      status: 'disabled',
      pinnedBlueprintVersion: true,
    };
    const changed = done(await world.own.project.patch(`/apps/${app.appId}`, changes));
    expect(changed).to.eql({ ...app, ...changes, updatedAt: changed.updatedAt });
    const active = done(await world.own.project.patch(`/apps/${app.appId}`, { status: 'active' }));
    expect(active).to.eql({ ...changed, status: 'active', updatedAt: active.updatedAt });
    expect(done(await world.own.project.patch(`/apps/${app.appId}`, {}))).to.eql(active);
  },

  async 'DELETE /apps/{appId}'(world) {
    const { appId } = await newApp(world);
    const { status, body } = await world.own.project.delete(`/apps/${appId}`);
    expect({ status, body }).to.eql({ status: 200, body: { success: true } });
    for (const again of ['get', 'delete'] as const)
      expect((await world.own.project[again](`/apps/${appId}`)).status).to.equal(404);
  },

  async 'POST /apps/{appId}/reset-to-blueprint'(world) {
    const rooms = [{ name: 'Lobby' }];
    const blueprintId = await blueprintWith(world, ['1.0.0', { topics: ['chat'], rooms }]);
    const { project } = world.own;
    const app = done(await project.post('/apps', { name: 'A', blueprintId }));
    const path = `/apps/${app.appId}`;
    done(await project.patch(path, { topics: ['other'], triggerWebhook: webhook }));
    const { roomId } = done(await project.post(`${path}/rooms`, { name: 'Dynamic' }));
    const reset = done(await project.post(`${path}/reset-to-blueprint`));
    expect(reset).to.eql({ ...app, updatedAt: reset.updatedAt });
    const slugs = (done(await project.get(`${path}/rooms`)) as any[]).map((room) => [
      room.slug,
      room.isStatic,
    ]);
    expect(slugs).to.have.deep.members([
      ['lobby', true],
      ['dynamic', false],
    ]);
    done(await project.get(`${path}/rooms/${roomId}`));
    const without = await newApp(world);
    expect((await project.post(`/apps/${without.appId}/reset-to-blueprint`)).status).to.equal(404);
  },
};

const webRtc = ['webrtc:offer', 'webrtc:answer', 'webrtc:candidate', 'webrtc:state'];

const roomRows: Readonly<Record<string, RowTest>> = {
  async 'GET /apps/{appId}/rooms'(world) {
    const path = `/apps/${(await newApp(world)).appId}/rooms`;
    expect(done(await world.own.project.get(path))).to.eql([]);
    const rooms = await Promise.all(
      Array.from({ length: 12 }, async (_, index) =>
        done(await world.own.project.post(path, { name: `R${index}` })),
      ),
    );
    expect(done(await world.own.project.get(path))).to.have.deep.members(rooms);
  },

  async 'POST /apps/{appId}/rooms'(world) {
    const { project } = world.own;
    const path = `/apps/${(await newApp(world)).appId}/rooms`;
    const sent = {
      name: 'R',
      slug: 'as-sent',
      description: 'A room',
      topics: ['news'],
      metadata: { a: [1] },
    };
    expect(done(await project.post(path, sent))).to.deep.include({
      ...sent,
      status: 'active',
      isStatic: false,
    });
    for (const [topics, slug] of [
      [undefined, 'quiet-room'],
      [[], 'louder-room'],
    ] as const) {
      const room = done(
        await project.post(path, { name: slug.replace('-', ' '), ...(topics && { topics }) }),
      );
      expect(room).to.deep.include({ slug, topics: ['chat', 'news'], metadata: {}, description: null });
    }
    const call = done(await project.post(path, { name: 'Call', topics: ['chat'], enableWebRTC: true }));
    expect(call.topics).to.eql(['chat', ...webRtc]);
  },

  async 'POST /apps/{appId}/rooms/ensure'(world) {
    const { project } = world.own;
    const app = await newApp(world, { config: { autoProvisionRooms: true } });
    const path = `/apps/${app.appId}/rooms/ensure`;
    const made = await project.post(path, { name: 'R', slug: 'r', metadata: { a: 1 }, enableWebRTC: true });
    expect(made.status).to.equal(200);
    expect(made.body).to.deep.include({ slug: 'r', metadata: { a: 1 }, topics: ['chat', 'news', ...webRtc] });
    const again = await project.post(path, { name: 'Other', slug: 'r', topics: ['news'], metadata: {} });
    expect([again.status, again.body]).to.eql([200, made.body]);
    expect(done(await project.post(path, { name: 'R' }))).to.eql(made.body);
    expect(done(await project.get(`/apps/${app.appId}/rooms`))).to.eql([made.body]);
  },

  async 'GET /apps/{appId}/rooms/{roomId}'(world) {
    const path = `/apps/${(await newApp(world)).appId}/rooms`;
    const room = done(await world.own.project.post(path, { name: 'R', metadata: { a: 1 } }));
    expect(done(await world.own.project.get(`${path}/${room.roomId}`))).to.eql(room);
  },

  async 'PATCH /apps/{appId}/rooms/{roomId}'(world) {
    const { project } = world.own;
    const path = `/apps/${(await newApp(world)).appId}/rooms`;
    const room = done(await project.post(path, { name: 'R', metadata: { a: 1, b: 2 } }));
    const changes = { name: 'S', description: 'D', status: 'disabled', topics: ['chat'], metadata: { c: 3 } };
    const changed = done(await project.patch(`${path}/${room.roomId}`, changes));
    expect(changed).to.eql({ ...room, ...changes, updatedAt: changed.updatedAt });
    expect((await project.patch(`${path}/${room.roomId}`, { slug: 's' })).status).to.equal(400);
    expect(done(await project.patch(`${path}/${room.roomId}`, { status: 'active' })).status).to.equal(
      'active',
    );
  },

  async 'DELETE /apps/{appId}/rooms/{roomId}'(world) {
    const { project } = world.own;
    const path = `/apps/${(await newApp(world)).appId}/rooms`;
    const { roomId } = done(await project.post(path, { name: 'R' }));
    const { status, body } = await project.delete(`${path}/${roomId}`);
    expect({ status, body }).to.eql({ status: 204, body: undefined });
    expect(done(await project.get(path))).to.eql([]);
    expect((await project.delete(`${path}/${roomId}`)).status).to.equal(404);
    expect((await project.post(path, { name: 'R' })).status).to.equal(201);
  },
};

/** A room of its own without a grant, and the path of its grants. */
const newRoom = async (world: World) => {
  const { appId } = await newApp(world);
  const { roomId } = done(await world.own.project.post(`/apps/${appId}/rooms`, { name: 'R' }));
  return { appId, roomId, path: `/apps/${appId}/rooms/${roomId}/actors` };
};

const grantRows: Readonly<Record<string, RowTest>> = {
  async 'POST /apps/{appId}/rooms/{roomId}/actors'(world) {
    const { path, ...room } = await newRoom(world);
    const { own } = world;
    const open = { topics: null, expiresAt: null, isActive: true, role: null, metadata: null };
    const ofActor = { actorTokenId: own.ids.actorId, permission: 'pubSub' };
    expect(done(await own.project.post(path, ofActor))).to.deep.include({
      ...{ ...room, ...open, ...ofActor, actorType: null },
    });
    const ofType = {
      ...{ actorType: 'agent', permission: 'publish', topics: ['news'], isActive: false, role: 'Bot' },
      ...{ expiresAt: '2099-01-01T00:00:00.000Z', metadata: { a: 1 } },
    };
    expect(done(await own.project.post(path, ofType))).to.deep.include({
      ...room,
      ...ofType,
      actorTokenId: null,
    });
    const both = await own.project.post(path, { ...ofActor, actorType: 'user' });
    expect([both.status, both.body.message]).to.eql([400, 'Validation failed']);
    for (const permission of ['subscribe', 'publish', 'pubSub'])
      done(await own.project.post((await newRoom(world)).path, { actorType: 'user', permission }));
  },

  async 'GET /apps/{appId}/rooms/{roomId}/actors'(world) {
    const { path } = await newRoom(world);
    const { project } = world.own;
    expect(done(await project.get(path))).to.eql([]);
    const grants: unknown[] = [];
    for (const actorType of ['device', 'user', 'service'])
      grants.push(done(await project.post(path, { actorType, permission: 'subscribe' })));
    expect(done(await project.get(path))).to.have.deep.members(grants);
  },

  async 'DELETE /apps/{appId}/rooms/{roomId}/actors/{roomActorAccessId}'(world) {
    const { path } = await newRoom(world);
    const { project } = world.own;
    const grant = { actorType: 'user', permission: 'subscribe' };
    const { roomActorAccessId } = done(await project.post(path, grant));
    const { status, body } = await project.delete(`${path}/${roomActorAccessId}`);
    expect({ status, body }).to.eql({ status: 204, body: undefined });
    expect(done(await project.get(path))).to.eql([]);
    expect((await project.delete(`${path}/${roomActorAccessId}`)).status).to.equal(404);
    done(await project.post(path, grant));
  },
};

export const appRowTests = { ...appRows, ...roomRows, ...grantRows };
