import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { connect } from '@roomwire/sdk';
import { type PastEvent, withLog, writeHistory } from '../../support/eventLogAccess.js';
import { startTestService, type TestService } from '../../support/testService.js';

/** Written by Roomwire as it was before actors had a place in a scope: every event in its first schema version. */
const fixture = new URL('../../../../test/fixtures/events-of-schema-version-1.jsonl', import.meta.url);
const apiKey = 'ak_live_f70d12ad52d081a4fbe86809.6vqybna6oQtIWztZirkQ5-Q_i35Rt08KH4AOMAo7LEg';
const accessToken = 'at_live_6bd1f7b338e7b70c4d7d13fd.q11P8r0cF8ylGqp0lZDyasMpF2Bbaee9VxP5gTXT4q0';
const projectId = 'e7fff473-dc5c-48fe-94bb-4189d4aeebee';
const appId = '16fdf838-8515-4504-9972-ffdd4712ae04';

const pastEvents = readFileSync(fixture, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as PastEvent);

const gauge = {
  actorTokenId: 'c34ef6c7-68b1-48f0-ab82-0988dd9ad312',
  projectId,
  accessScopeId: null,
  keyId: 'at_live_6bd1f7b338e7b70c4d7d13fd',
  name: 'Gauge',
  actorType: 'device',
  status: 'active',
  expiresAt: null,
  lastUsedAt: null,
  metadata: { berth: 4 },
  createdAt: '2026-11-21T02:36:28.672Z',
  updatedAt: '2026-11-21T02:36:28.672Z',
};

const mistress = {
  ...gauge,
  actorTokenId: '3b85eb4a-24b6-4697-bd59-ced4b555ec76',
  keyId: 'at_live_773173dd32443ff0daeae2e0',
  name: 'Harbour mistress',
  actorType: 'user',
  status: 'disabled',
  expiresAt: '2099-01-01T00:00:00.000Z',
  metadata: null,
  createdAt: '2026-11-21T02:36:28.688Z',
  updatedAt: '2026-11-21T02:36:28.709Z',
};

describe('a log of the first schema version', () => {
  let service: TestService;

  before(async () => {
    expect(pastEvents.filter(({ schemaVersion }) => schemaVersion !== 1)).to.eql([]);
    service = await startTestService({}, (config) => withLog(config, (log) => writeHistory(log, pastEvents)));
  });
  after(() => service.close());

  it('is read like a log of the current version', async () => {
    const client = service.client(apiKey);
    expect((await client.get('/actors')).body).to.eql([mistress, gauge]);
    expect((await client.get(`/actors/${gauge.keyId}`)).body).to.eql(gauge);
    const apps: any[] = (await client.get('/apps')).body.data;
    expect(apps.map((app) => [app.slug, app.description])).to.eql([['tides-e898', 'Water levels']]);
    const rooms: any[] = (await client.get(`/apps/${appId}/rooms`)).body;
    expect(rooms.map((room) => [room.slug, room.description])).to.eql([['pier-1', 'The old pier']]);
  });

  it('accepts new events', async () => {
    const client = service.client(apiKey);
    const { status, body } = await client.patch(`/actors/${mistress.keyId}`, { status: 'active' });
    expect(status).to.equal(200);
    expect(body).to.eql({ ...mistress, status: 'active', updatedAt: body.updatedAt });
    expect((await client.delete(`/actors/${mistress.keyId}`)).status).to.equal(204);
    expect((await client.post('/actors', { name: 'New', actorType: 'user' })).status).to.equal(201);
    const actors: any[] = (await client.get('/actors')).body;
    expect(actors.map(({ name }) => name)).to.eql(['New', 'Gauge']);
    expect((await client.post(`/apps/${appId}/rooms`, { name: 'Pier 1' })).status).to.equal(409);
  });

  it('lets its actors connect', async () => {
    const client = connect({ url: service.socketUrl, token: accessToken, reconnect: false });
    await client.ready();
    await client.subscribe('tides-e898/pier-1/levels', () => undefined);
    await client.close();
  });

  it('has no event that was skipped', () => {
    expect(service.logLines.filter(({ level }) => level === 'error')).to.eql([]);
  });
});
