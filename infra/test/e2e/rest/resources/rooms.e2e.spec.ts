import { expect } from 'chai';
import type { ApiClient } from '../../../support/apiClient.js';
import {
  expectApplicationError,
  expectTime,
  expectUuid,
  expectValidationError,
} from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

describe('REST rooms', () => {
  let service: TestService;
  let client: ApiClient;
  let appId: string;
  let rooms: string;

  const newApp = async (body: object = {}): Promise<string> =>
    (await client.post('/apps', { name: 'App', topics: ['chat', 'news'], ...body })).body.appId;

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => {
    ({ client } = await service.newProject());
    appId = await newApp();
    rooms = `/apps/${appId}/rooms`;
  });

  it('creates a room that inherits the topics of the app', async () => {
    const { status, body } = await client.post(rooms, { name: 'The Lobby' });
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      appId,
      name: 'The Lobby',
      slug: 'the-lobby',
      description: null,
      topics: ['chat', 'news'],
      metadata: {},
      status: 'active',
      isStatic: false,
    });
    expectUuid(body.roomId);
    expectTime(body.createdAt);
    expect((await client.get(`${rooms}/${body.roomId}`)).body).to.eql(body);
    expect((await client.post(rooms, { name: 'Empty', topics: [] })).body.topics).to.eql(['chat', 'news']);
  });

  it('stores the fields as sent, including the exact slug', async () => {
    const sent = {
      name: 'R',
      slug: 'room-7',
      description: 'd',
      topics: ['news', 'else'],
      metadata: { a: { b: [1] } },
    };
    expect((await client.post(rooms, sent)).body).to.deep.include(sent);
  });

  it('adds the WebRTC topics', async () => {
    const webRtc = ['webrtc:offer', 'webrtc:answer', 'webrtc:candidate', 'webrtc:state'];
    const inherited = await client.post(rooms, { name: 'A', enableWebRTC: true });
    expect(inherited.body.topics).to.eql(['chat', 'news', ...webRtc]);
    const own = await client.post(rooms, { name: 'B', enableWebRTC: true, topics: ['chat', 'webrtc:offer'] });
    expect(own.body.topics).to.have.members(['chat', ...webRtc]);
  });

  it('refuses a slug that the app already has', async () => {
    await client.post(rooms, { name: 'One', slug: 'same' });
    expectApplicationError(
      await client.post(rooms, { name: 'Two', slug: 'same' }),
      409,
      'Room with slug "same" already exists',
    );
    const otherApp = await newApp();
    expect((await client.post(`/apps/${otherApp}/rooms`, { name: 'Two', slug: 'same' })).status).to.equal(
      201,
    );
  });

  it('lists every room of the app, as a plain array', async () => {
    for (const name of ['A', 'B', 'C']) await client.post(rooms, { name });
    const { status, body } = await client.get(`${rooms}?page=7&status=disabled`);
    expect(status).to.equal(200);
    expect((body as { name: string }[]).map(({ name }) => name)).to.eql(['A', 'B', 'C']);
  });

  it('changes a room, but not its slug', async () => {
    const room = (await client.post(rooms, { name: 'Old', metadata: { a: 1, b: 2 } })).body;
    const path = `${rooms}/${room.roomId}`;
    const changes = {
      name: 'New',
      description: 'x',
      status: 'disabled',
      topics: ['news'],
      metadata: { b: 3 },
    };
    const { status, body } = await client.patch(path, changes);
    expect(status).to.equal(200);
    expect(body).to.deep.include({ ...changes, slug: 'old' });
    expect((await client.get(path)).body).to.eql(body);
    expect((await client.patch(path, { status: 'active' })).body.status).to.equal('active');
    expect((await client.patch(path, {})).body).to.deep.include({ name: 'New', status: 'active' });
    expectValidationError(await client.patch(path, { slug: 'new' }), 'slug');
    expectValidationError(await client.patch(path, { status: 'gone' }), 'status');
  });

  it('deletes a room and frees its slug', async () => {
    const room = (await client.post(rooms, { name: 'Gone' })).body;
    const deleted = await client.delete(`${rooms}/${room.roomId}`);
    expect([deleted.status, deleted.body]).to.eql([204, undefined]);
    for (const again of [
      await client.get(`${rooms}/${room.roomId}`),
      await client.delete(`${rooms}/${room.roomId}`),
    ])
      expectApplicationError(again, 404, `Room ${room.roomId} not found`);
    expect((await client.post(rooms, { name: 'Gone' })).status).to.equal(201);
  });

  it('answers 404 for a room of another app of the project', async () => {
    const room = (await client.post(rooms, { name: 'Here' })).body;
    const path = `/apps/${await newApp()}/rooms/${room.roomId}`;
    for (const answer of [
      await client.get(path),
      await client.patch(path, { name: 'x' }),
      await client.delete(path),
    ])
      expectApplicationError(answer, 404, `Room ${room.roomId} not found`);
  });

  describe('ensure', () => {
    it('requires an app that allows it', async () => {
      const { status, body } = await client.post(`${rooms}/ensure`, { name: 'x' });
      expect(status).to.equal(403);
      expect(body.message)
        .to.include('ynamic room provisioning is not allowed')
        .and.include('config.autoProvisionRooms=true');
    });

    it('creates a room once and returns it unchanged afterwards', async () => {
      const app = await newApp({ config: { autoProvisionRooms: true } });
      const path = `/apps/${app}/rooms/ensure`;
      const first = await client.post(path, { name: 'One', slug: 'one' });
      const second = await client.post(path, { name: 'Other name', slug: 'one', topics: ['news'] });
      expect([first.status, second.status]).to.eql([200, 200]);
      expect(second.body).to.eql(first.body);
      const manual = (await client.post(`/apps/${app}/rooms`, { name: 'Two' })).body;
      expect((await client.post(path, { name: 'Two' })).body).to.eql(manual);
    });
  });
});
