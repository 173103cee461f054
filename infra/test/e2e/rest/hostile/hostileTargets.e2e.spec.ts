import { expect } from 'chai';
import { type ApiClient, rawRequest } from '../../../support/apiClient.js';
import { expectApplicationError, expectValidationError } from '../../../support/shapes.js';
import { startTestService, type TestProject, type TestService } from '../../../support/testService.js';

const names = [
  'plain',
  'a.*b',
  '(a+)+$',
  'x|y',
  '[z]',
  'back\\slash',
  '^caret',
  'dollar$',
  `${'a'.repeat(254)}!`,
];

describe('REST hostile paths, queries and headers', () => {
  let service: TestService;
  let project: TestProject;
  let client: ApiClient;

  before(async () => {
    service = await startTestService();
    project = await service.newProject();
    ({ client } = project);
    for (const name of names) expect((await client.post('/apps', { name })).status).to.equal(201);
  });
  after(() => service.close());
  afterEach(async () => {
    expect(service.logLines.filter(({ level }) => level === 'error')).to.eql([]);
    expect((await client.get('/apps')).status).to.equal(200);
  });

  const namesFound = async (text: string): Promise<string[]> => {
    const { status, body } = await client.get(`/apps?limit=100&name=${encodeURIComponent(text)}`);
    expect(status, text).to.equal(200);
    return (body.data as { name: string }[]).map(({ name }) => name);
  };

  const raw = (target: string | Buffer, ...headers: readonly string[]) =>
    rawRequest(
      service.baseUrl,
      Buffer.concat([
        Buffer.from('GET '),
        Buffer.from(target),
        Buffer.from(
          ` HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${project.apiKey}\r\n`,
        ),
        Buffer.from([...headers, '\r\n'].join('\r\n')),
      ]),
    );

  it('matches names literally, whatever they mean in a pattern', async () => {
    for (const [text, found] of [
      ['.*', ['a.*b']],
      ['.', ['a.*b']],
      ['(a+)+$', ['(a+)+$']],
      ['|', ['x|y']],
      ['[z]', ['[z]']],
      ['\\', ['back\\slash']],
      ['\\s', ['back\\slash']],
      ['^', ['^caret']],
      ['$', ['dollar$', '(a+)+$']],
      ['PLAIN', ['plain']],
      ['a{254}', []],
      ['(?i)plain', []],
      ['\\u0070lain', []],
      ['?', []],
    ] as const)
      expect(await namesFound(text), text).to.have.members([...found]);
    expect(await namesFound(`${'(a*)*'.repeat(50)}b`)).to.eql([]);
    expect(await namesFound('a'.repeat(254))).to.have.length(1);
  });

  it('never mistakes a parameter with brackets for the one without', async () => {
    for (const [query, path] of [
      ['name[$ne]=x', 'name'],
      ['name[]=x', 'name'],
      ['name=plain&name[$regex]=.*', 'name'],
      ['name[$regex]=.*&name=plain', 'name'],
      ['page[a][b]=1', 'page'],
      ['limit[__proto__]=1', 'limit'],
      ['orderBy[a]=name:ASC', 'orderBy.0'],
      ['orderBy[__proto__]=name:ASC', 'orderBy.0'],
    ] as const)
      expectValidationError(await client.get(`/apps?${query}`), path);
  });

  it('accepts a parameter once', async () => {
    for (const name of ['page', 'limit', 'name', 'blueprintId'])
      expectValidationError(await client.get(`/apps?${name}=1&${name}=1`), name);
    // Neither a text nor one of those that it may be.
    for (const query of ['status=active&status=active', 'status[$ne]=active'])
      expectValidationError(await client.get(`/apps?${query}`), 'status', 'status');
  });

  it('ignores unknown parameters, whatever their names', async () => {
    for (const name of [
      '__proto__',
      'constructor',
      'hasOwnProperty',
      'toString',
      '__proto__[polluted]',
      '$where',
    ]) {
      const { status, body } = await client.get(`/apps?${encodeURIComponent(name)}=1`);
      expect([status, body.pagination.total], name).to.eql([200, names.length]);
    }
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });

  it('clamps the limit, and refuses a page that cannot exist', async () => {
    for (const [limit, shown] of [
      ['0', 1],
      ['-1', 1],
      ['1e9', names.length],
      ['100000', names.length],
    ] as const)
      expect((await client.get(`/apps?limit=${limit}`)).body.data, limit).to.have.length(shown);
    for (const page of ['0', '-1', 'abc', '1.5', '1e9', '99999999999999999999', ''])
      expectValidationError(await client.get(`/apps?page=${page}`), 'page');
    for (const limit of ['abc', '1e400', ''])
      expectValidationError(await client.get(`/apps?limit=${limit}`), 'limit');
    expect((await client.get('/apps?page=1000000000')).body.data).to.eql([]);
  });

  it('orders by the documented fields only', async () => {
    for (const order of [
      'secretHash:ASC',
      '__proto__:ASC',
      'constructor:DESC',
      'name',
      'name:asc',
      'name:ASC:DESC',
      ':',
      '',
    ])
      expectValidationError(await client.get(`/apps?orderBy[]=${order}`), 'orderBy.0');
    expectValidationError(await client.get('/apps?orderBy[]=name:ASC%00'), 'orderBy.0');
    expectValidationError(await client.get('/apps?orderBy=name:ASC'), 'orderBy');
    expectValidationError(await client.get('/apps?orderBy=name:ASC&orderBy[]=name:ASC'), 'orderBy.1');
  });

  it('refuses a path and a query that are not UTF-8', async () => {
    for (const path of [
      '/apps/%ff',
      '/apps/%',
      '/actors/%ED%A0%80',
      '/apps?name=%ff',
      '/apps?name=%ED%A0%80',
      '/apps?%c0%af=1',
    ])
      expectApplicationError(await client.get(path), 400, 'The request is not valid');
    for (const text of ['\ufffd', '%', '100%', '😀', '\0']) expect(await namesFound(text)).to.eql([]);
    expect((await client.get('/apps?name=100%')).status).to.equal(200);
    expect((await raw(Buffer.from([...Buffer.from('/v1/apps/'), 0xff]))).status).to.equal(400);
  });

  it('finds nothing through path traversal', async () => {
    for (const path of [
      '/apps/%00',
      '/apps/..%2f..%2fhealthz',
      '/apps/__proto__',
      `/apps/${'a'.repeat(8_000)}`,
    ])
      expectApplicationError(await client.get(path), 400, 'Invalid appId UUID format');
    expectApplicationError(
      await client.get(`/actors/at_${'a'.repeat(8_000)}`),
      400,
      'Invalid actorId: must be a UUID or public keyId (at_...)',
    );
    for (const path of ['/apps//', '/Apps', `/${'a/'.repeat(4_000)}`])
      expect((await client.get(path)).status).to.equal(404);
  });

  it('answers 431 to more than 16 KiB of path and headers, and continues to serve', async () => {
    for (const answer of [
      await raw(`/v1/${'a'.repeat(20_000)}`),
      await raw(`/v1/apps?name=${'a'.repeat(20_000)}`),
      await raw('/v1/apps', `X-Flood: ${'a'.repeat(20_000)}`),
      await raw('/v1/apps', ...Array.from({ length: 3_000 }, (_, index) => `X${index}: 1`)),
    ])
      expect(answer.status).to.equal(431);
    const short = Array.from({ length: 900 }, (_, index) => `X${index}: 1`);
    expect((await raw('/v1/apps', ...short)).status).to.equal(200);
  });

  it('answers 400 to a request whose length is ambiguous', async () => {
    for (const headers of [
      ['Content-Length: 5', 'Transfer-Encoding: chunked'],
      ['Content-Length: 5', 'Content-Length: 6'],
      ['Content-Length: -1'],
      ['Transfer-Encoding: chunked, identity'],
    ])
      expect((await raw('/v1/apps', ...headers)).status, headers.join()).to.equal(400);
  });
});
