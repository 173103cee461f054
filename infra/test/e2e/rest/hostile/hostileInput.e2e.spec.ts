import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import type { ApiClient } from '../../../support/apiClient.js';
import { expectApplicationError, expectValidationError } from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

describe('REST hostile input', () => {
  let service: TestService;
  let client: ApiClient;

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => void ({ client } = await service.newProject()));
  afterEach(() => expect(service.logLines.filter(({ level }) => level === 'error')).to.eql([]));

  const newActor = (fields: object) => client.post('/actors', { name: 'x', actorType: 'user', ...fields });

  it('accepts only times that exist', async () => {
    for (const expiresAt of [
      '2016-12-31T23:59:60Z',
      '2030-01-01T00:00:00+01',
      '2030-01-01T00:00:00+0100',
      '2030-01-01T00:00:00',
      '2030-01-01\t00:00:00Z',
      '2030-01-01\n00:00:00Z',
      '2030-01-01 00:00:00Z',
      '2030-01-01T00:00:00Z\n',
      '2030-02-30T00:00:00Z',
      '2029-02-29T00:00:00Z',
      '2030-04-31T23:59:59+14:00',
      '2030-13-01T00:00:00Z',
      '2030-00-01T00:00:00Z',
      '2030-01-00T00:00:00Z',
      '2030-01-01T24:00:00Z',
      '2030-01-01T00:00:00+24:00',
      '2030-01-01T00:00:00+00:60',
      '9999-12-31T23:59:59-01:00',
      '0000-12-31T23:59:59Z',
      '0001-01-01T00:00:00+01:00',
      '+012030-01-01T00:00:00Z',
    ])
      expectValidationError(await newActor({ expiresAt }), 'expiresAt');
  });

  it('stores times at the limits', async () => {
    for (const [expiresAt, kept] of [
      ['2032-02-29T00:00:00Z', '2032-02-29T00:00:00.000Z'],
      ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
      ['2030-01-01T00:30:00+01:00', '2029-12-31T23:30:00.000Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
      [`2030-01-01T00:00:00.${'0'.repeat(5000)}Z`, '2030-01-01T00:00:00.000Z'],
    ] as const) {
      const { status, body } = await newActor({ expiresAt });
      expect([status, body.expiresAt], expiresAt.slice(0, 40)).to.eql([201, kept]);
    }
  });

  it('accepts only decimal numbers in a query', async () => {
    for (const number of [
      'Infinity',
      '-Infinity',
      'NaN',
      '0x10',
      '0b1',
      '%201',
      '1%20',
      '1_0',
      'null',
      'true',
    ])
      for (const name of ['page', 'limit'])
        expectValidationError(await client.get(`/apps?${name}=${number}`), name);
    for (const query of ['page=1e3', 'page=1.0', `page=${'1'.repeat(16)}`, `limit=${'9'.repeat(400)}`])
      expectValidationError(await client.get(`/apps?${query}`), query.split('=')[0] ?? '');
    for (const query of [
      'page=%2B1',
      'limit=1e9',
      'limit=1e99',
      'limit=1.5',
      'limit=-1e99',
      'page=1000000000',
    ])
      expect((await client.get(`/apps?${query}`)).status, query).to.equal(200);
  });

  it('answers a request target that is not a path as an application error', async () => {
    for (const target of [
      'http://:99999/v1/apps',
      'http://[::/v1/apps',
      'http://localhost/v1/apps',
      '*',
      '/v1/apps#x',
      '//a@[::x/v1/apps#',
    ]) {
      const { status, body } = await sendRaw(target);
      expectApplicationError(
        { status, body, headers: new Headers() },
        400,
        'The request target must be a path',
      );
    }
    expect((await sendRaw('//[::/v1/apps')).status).to.equal(404);
    expect((await sendRaw('/v1/apps?a=http://[::/&page=1?')).status).to.equal(401);
  });

  it('reads the query of a path that looks like another host', async () => {
    expect((await client.get('/apps?name=a?b&x=//[::')).status).to.equal(200);
  });

  it('reserves space for the suffix of the slug of a new app', async () => {
    expectValidationError(await client.post('/apps', { name: 'x', slug: 'x'.repeat(96) }), 'slug');
    const { body } = await client.post('/apps', { name: 'x', slug: 'x'.repeat(95) });
    expect(body.slug).to.match(/^x{95}-[0-9a-f]{4}$/);
    expect((await client.patch(`/apps/${body.appId}`, { slug: body.slug })).status).to.equal(200);
    expect((await client.patch(`/apps/${body.appId}`, { slug: 'y'.repeat(100) })).status).to.equal(200);
    expectValidationError(await client.patch(`/apps/${body.appId}`, { slug: 'y'.repeat(101) }), 'slug');
    expect((await client.post('/apps', { name: 'z'.repeat(255) })).body.slug).to.have.length(100);
  });

  it('refuses webhook headers that frame the request', async () => {
    for (const name of [
      'Host',
      'content-length',
      'Transfer-Encoding',
      'Connection',
      'Keep-Alive',
      'Upgrade',
      'TE',
      'Trailer',
      'Proxy-Authorization',
    ])
      expectValidationError(
        await client.post('/apps', {
          name: 'x',
          triggerWebhook: { url: 'https://example.com', headers: { [name]: 'x', 'X-Host': 'x' } },
        }),
        `triggerWebhook.headers.${name}`,
      );
  });

  it('refuses a byte order mark before JSON', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await client.send('/apps', { method: 'POST', headers, body: '\ufeff{"name":"x"}' });
    expectApplicationError(answer, 400, 'The body is not valid JSON');
    expect((await client.post('/apps', { name: '\ufeffx' })).status).to.equal(201);
  });

  it('validates no item of an array beyond its limit', async () => {
    const rooms = Array.from({ length: 1001 }, () => 7);
    expectValidationError(
      await client.post('/apps', { name: 'x', topics: new Array(260_000).fill(1) }),
      'topics',
    );
    expectValidationError(
      await client.post('/apps', { name: 'x', config: { lobbies: [{ slug: 'a', rooms }] } }),
      'config.lobbies.0.rooms',
    );
    expectValidationError(await client.get(`/apps?${'orderBy[]=x&'.repeat(11)}`), 'orderBy');
  });

  it('lists at most a hundred failed constraints', async () => {
    const topics = Array.from({ length: 1000 }, (_, index) => index);
    const { body } = await client.post('/apps', { name: 'x', topics });
    expect(body.errors).to.have.length(100);
    const unknown = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`f${index}`, 1]));
    const answer = await client.post('/apps', { name: 'x', ...unknown });
    expect([answer.status, answer.body.errors.length]).to.eql([400, 100]);
  });

  it('refuses a name that cannot be displayed', async () => {
    for (const name of [
      ' ',
      '\t\n',
      '\x17',
      '\u00a0\u3000',
      '\u200b\u00ad\u2060',
      '\u3164\u2800',
      'a\0b',
      'a\ud800',
      '\udc00b',
    ])
      expectValidationError(await client.post('/apps', { name }), 'name');
    for (const name of [' a ', 'x\n', '😀', 'Été'])
      expect((await client.post('/apps', { name })).body.name).to.equal(name);
  });

  // With a backtracking pattern each of these took minutes and blocked all other requests.
  it('reads a text once, whatever its length', async () => {
    for (const end of ['', '\0', '\ud800', '!', ' ']) {
      const text = 'a'.repeat(300_000) + end;
      expect((await client.post('/actors', { name: text, actorType: 'user' })).status).to.equal(400);
      expect((await client.post('/apps', { name: 'x', slug: text })).status).to.equal(400);
    }
  });

  it('accepts a UUID in its canonical form only', async () => {
    const accessScopeId = 'urn:uuid:11111111-2222-4333-8444-555555555555';
    expectValidationError(await newActor({ accessScopeId }), 'accessScopeId');
    expectValidationError(await client.get(`/apps?blueprintId=${accessScopeId}`), 'blueprintId');
  });

  /** A request with its target exactly as given, and no credential. */
  const sendRaw = async (target: string): Promise<{ status: number; body: unknown }> => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    await once(socket, 'close');
    const [head = '', text = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), body: JSON.parse(text) as unknown };
  };
});
