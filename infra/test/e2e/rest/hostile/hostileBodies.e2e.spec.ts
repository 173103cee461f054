import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { longestTurn } from '@roomwire/testing/run/longestTurn';
import { isOnEngines } from '@roomwire/testing/run/testProfile';
import { type ApiClient, rawRequest } from '../../../support/apiClient.js';
import { patient } from '../../../support/patientClient.js';
import { expectApplicationError, expectValidationError } from '../../../support/shapes.js';
import { startTestService, type TestProject, type TestService } from '../../../support/testService.js';

const tooLarge = 'The body is larger than 1048576 bytes';
const megabyte = 1024 * 1024;

const manyFields = (count: number, value: unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field ${index}`, value]));

/** As many as a body has room for. */
const manyKeys = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

describe('REST hostile bodies', () => {
  let service: TestService;
  let project: TestProject;
  let client: ApiClient;

  before(async () => {
    service = await startTestService();
    project = await service.newProject();
    ({ client } = project);
  });
  after(() => service.close());
  afterEach(async () => {
    expect(service.logLines.filter(({ level }) => level === 'error')).to.eql([]);
    expect((await patient(client).get('/apps')).status).to.equal(200);
  });

  const send = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    client.send(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

  /** The metadata of an actor that is made with it, as it is read later. */
  const keptMetadata = async (metadata: string): Promise<unknown> => {
    const made = await send('/actors', `{"name":"x","actorType":"user","metadata":${metadata}}`);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const { body } = await client.get(`/actors/${made.body.actorTokenId}`);
    expect(body.metadata).to.eql(made.body.metadata);
    return body.metadata;
  };

  it('stores property names of JavaScript objects as data', async () => {
    const text =
      '{"constructor":{"prototype":{"polluted":1}},"prototype":2,"toString":3,"hasOwnProperty":4,"valueOf":5}';
    expect(await keptMetadata(text)).to.eql(JSON.parse(text));
    expectValidationError(
      await send('/apps', '{"name":"x","constructor":{"prototype":{"polluted":1}}}'),
      'constructor',
    );
    expectValidationError(
      await send('/apps', '{"name":"x","toString":1,"hasOwnProperty":2}'),
      'toString',
      'hasOwnProperty',
    );
    expectValidationError(await send('/apps', '{"name":"x","config":{"a":[{"__proto__":1}]}}'), '__proto__');
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });

  it('stores keys and texts that are special in databases and languages unchanged', async () => {
    for (const text of [
      '{"$where":"1","a.b":{"$gt":""},"":0,"_id":1,"%json":"{}"}',
      '{"a\\u0000b":"\\u0000","\\ud800":"\\udfff","\\ufffd":"\\ud83d\\ude00"}',
      '{"text":"\\u2028\\u202e\\ufeff","tab":"\\t\\r\\n\\u007f"}',
    ])
      expect(await keptMetadata(text)).to.eql(JSON.parse(text));
  });

  it('stores numbers that all JSON parsers agree on, and refuses larger ones', async () => {
    const numbers =
      '{"a":9007199254740991,"b":9223372036854775808,"c":1.7976931348623157e308,"d":5e-324,"e":-1.5}';
    expect(await keptMetadata(numbers)).to.eql(JSON.parse(numbers));
    for (const number of ['1e400', '-1e400', '1'.repeat(400)]) {
      const metadata = `{"list":[{"n":${number}}]}`;
      expectValidationError(
        await send('/actors', `{"name":"x","actorType":"user","metadata":${metadata}}`),
        '',
      );
      expectValidationError(await send('/apps', `{"name":${number}}`), '');
    }
  });

  it('refuses a body above the size limit', async () => {
    const numbers = Array.from({ length: 100_000 }, () => '1e20').join(',');
    expectValidationError(await send('/apps', `{"name":"x","files":[${numbers}]}`), '');
    const few = Array.from({ length: 10_000 }, () => '1e20').join(',');
    expect((await send('/apps', `{"name":"x","files":[${few}]}`)).status).to.equal(201);
  });

  it('stores records that are many times larger in forms other than JSON', async () => {
    const app = (await client.post('/apps', { name: 'x' })).body;
    const fields = ['config', 'dependencies', 'files'] as const;
    for (const item of ['[]', '{}', '{"a.b":"\\ud800"}']) {
      const values = Array.from({ length: 900_000 / (item.length + 1) }, () => item).join(',');
      for (const field of fields) {
        const init = { method: 'PATCH', headers: { 'content-type': 'application/json' } };
        const value = field === 'config' ? `{"values":[${values}]}` : `[${values}]`;
        const answer = await client.send(`/apps/${app.appId}`, { ...init, body: `{"${field}":${value}}` });
        expect(answer.status, field).to.equal(200);
      }
      const { body } = await client.get(`/apps/${app.appId}`);
      for (const field of fields)
        expect(JSON.stringify(body[field]), field).to.equal(
          field === 'config' ? `{"values":[${values}]}` : `[${values}]`,
        );
    }
    const next = (await client.post('/apps', { name: 'next' })).body;
    expect((await client.get(`/apps/${next.appId}`)).body).to.eql(next);
  }).timeout(60_000);

  it('accepts other requests beside one that the event log refuses', async () => {
    const files = 'x'.repeat(megabyte - 100);
    const [large, ...others] = await Promise.all([
      client.post('/apps', { name: 'large', files }),
      ...Array.from({ length: 5 }, () => client.post('/apps', { name: 'other' })),
    ]);
    expect(large.status).to.be.oneOf([201, 413]);
    expect(others.map(({ status }) => status)).to.eql([201, 201, 201, 201, 201]);
  });

  it('refuses values that are nested too deeply', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"a":', '}]'],
    ] as const) {
      const nested = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
      expectValidationError(await send('/apps', `{"name":"x","files":${nested}}`), '');
      expectValidationError(await send('/apps', nested), '');
    }
    const deepest = `${'{"a":'.repeat(30)}1${'}'.repeat(30)}`;
    expect(await keptMetadata(deepest)).to.eql(JSON.parse(deepest));
  });

  it('refuses text that is not UTF-8', async () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf5, 0x80, 0x80, 0x80]]) {
      const body = Buffer.concat([Buffer.from('{"name":"a'), Buffer.from(bytes), Buffer.from('"}')]);
      expectApplicationError(await send('/apps', Uint8Array.from(body)), 400, 'The body is not valid JSON');
    }
    expect((await send('/apps', '{"name":"\u{10ffff}\ufffd"}')).body.name).to.equal('\u{10ffff}\ufffd');
  });

  it('refuses a compressed body', async () => {
    const body = Uint8Array.from(gzipSync(Buffer.alloc(8 * megabyte, ' ')));
    for (const encoding of ['gzip', 'deflate', 'br', 'nonsense']) {
      const answer = await send('/apps', body, { 'content-encoding': encoding });
      expectApplicationError(answer, 415, 'The content encoding is not supported');
    }
  });

  it('answers for many fields at the cost of a few', async () => {
    const unknown = await client.post('/apps', { name: 'x', ...manyFields(9_000, 1) });
    expect([unknown.status, unknown.body.errors.length]).to.eql([400, 100]);
    expect(unknown.body.errors[99]).to.eql({ path: 'field 99', value: 1, message: 'is not a known field' });
    const nested = { url: 'https://example.com', ...manyFields(9_000, 1) };
    const { body } = await client.post('/apps', { name: 'x', triggerWebhook: nested });
    expect(body.errors).to.have.length(100);
    expect(body.errors[0]).to.include({ path: 'triggerWebhook.field 0' });
  });

  it('answers for many fields of many objects at the cost of a few', async () => {
    const topics = Array.from({ length: 180 }, (_, n) => [`topic-${n}`, manyFields(50, 1)] as const);
    const { status, body } = await client.post('/apps', {
      name: 'x',
      topicConfigs: Object.fromEntries(topics),
    });
    expect([status, body.errors.length]).to.eql([400, 100]);
    expect(body.errors[50]).to.eql({
      ...{ path: 'topicConfigs.topic-1.field 0', value: 1 },
      message: 'is not a known field',
    });
  });

  it('yields to the event loop while it looks at a large body', async function () {
    this.timeout(60_000);
    if (isOnEngines()) this.skip();
    const lists = '[],'.repeat(300_000);
    const body = `{"name":"x","actorType":"user","metadata":{"lists":[${lists}0]},"expiresAt":"never"}`;
    const { result, longestMs } = await longestTurn(() => send('/actors', body));
    expectValidationError(result, 'expiresAt');
    expect(longestMs).to.be.below(400);
  });

  describe('with many fields', function () {
    this.timeout(120_000);
    const statusOf = async (method: string, path: string, credential: string, sent?: string) => {
      const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
      const init = { method, headers, ...(sent !== undefined && { body: sent }) };
      const answer = await fetch(`${service.baseUrl}/v1${path}`, init);
      // Not looked at, which would take the time of this process too.
      await answer.arrayBuffer();
      return answer.status;
    };
    /** The longest turn in the best of five runs: garbage of others is collected in some of them. */
    const longestOf = async (run: () => Promise<unknown>): Promise<number> => {
      const times: number[] = [];
      for (let n = 0; n < 5; n += 1) times.push((await longestTurn(run)).longestMs);
      return Math.min(...times);
    };

    it('are refused before they are parsed', async function () {
      const message = 'must not have more than 10000 fields in one object';
      const refused = async (body: string) =>
        expect((await send('/apps', body)).body.errors).to.eql([{ path: '', value: null, message }]);
      await refused(JSON.stringify({ name: 'x', config: manyKeys(10_001) }));
      await refused(JSON.stringify({ name: 'x', ...manyKeys(10_000) }));
      if (isOnEngines()) this.skip();
      const body = JSON.stringify({ name: 'x', config: manyKeys(90_000) });
      const parsingMs = await longestOf(async () => void JSON.parse(body));
      const refusingMs = await longestOf(async () =>
        expect(await statusOf('POST', '/apps', project.apiKey, body)).to.equal(400),
      );
      expect(refusingMs / parsingMs, `${refusingMs} ms`).to.be.below(0.5);
    });

    it('have as many as a body may have, in strings as many colons as fit', async () => {
      const config = { ...manyKeys(9_999), colons: '":\\'.repeat(100_000) };
      const made = await client.post('/apps', { name: 'x', config });
      expect([made.status, made.body.config]).to.eql([201, config]);
    });

    it('hold no turn of the event loop for long', async function () {
      if (isOnEngines()) this.skip();
      const body = JSON.stringify({
        name: 'x',
        config: Object.fromEntries(
          Array.from({ length: 800 }, (_, n) => [
            `list${n}`,
            Object.fromEntries(Array.from({ length: 100 }, (_, m) => [`k${n * 100 + m}`, 0])),
          ]),
        ),
      });
      const creatingMs = await longestOf(async () =>
        expect(await statusOf('POST', '/apps', project.apiKey, body)).to.equal(201),
      );
      const audit = `/organizations/${project.organizationId}/audit?limit=4`;
      const readingMs = await longestOf(async () =>
        expect(await statusOf('GET', audit, service.credentials.sessionToken)).to.equal(200),
      );
      expect(creatingMs, 'creating').to.be.below(50);
      expect(readingMs, 'reading').to.be.below(50);
    });
  });

  it('validates no entry of a map beyond its limit', async () => {
    // Each of them was an exception once, and all together ten seconds.
    const headers = manyFields(9_000, '\n');
    const hydrationWebhook = { url: 'https://example.com', headers };
    expectValidationError(
      await client.post('/apps', { name: 'x', hydrationWebhook }),
      'hydrationWebhook.headers',
    );
    expectValidationError(await client.post('/apps', { name: 'x', topicConfigs: headers }), 'topicConfigs');
  });

  describe('above a megabyte', () => {
    const head = (...lines: readonly string[]): string =>
      [
        'POST /v1/apps HTTP/1.1',
        'Host: localhost',
        'Connection: close',
        `Authorization: Bearer ${project.apiKey}`,
        'Content-Type: application/json',
        ...lines,
        '\r\n',
      ].join('\r\n');
    const bodyOf = (size: number): string => '{"name":"x"}'.padEnd(size);
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

    it('are refused as soon as they are declared, when they are much larger', async () => {
      for (const length of [16 * megabyte + 1, 1e9, 1e15]) {
        const answer = await rawRequest(service.baseUrl, head(`Content-Length: ${length}`), bodyOf(20));
        expectApplicationError(answer, 413, tooLarge);
      }
    });

    it('are refused after they were received, when they were declared', async () => {
      const size = megabyte + 1;
      const answer = await rawRequest(service.baseUrl, head(`Content-Length: ${size}`), bodyOf(size));
      expectApplicationError(answer, 413, tooLarge);
    });

    it('are refused when they are sent in chunks without a declared length', async () => {
      const chunks = Array.from({ length: 17 }, () => chunk(' '.repeat(65_536)));
      const encoding = head('Transfer-Encoding: chunked');
      expectApplicationError(
        await rawRequest(service.baseUrl, encoding, ...chunks, chunk('')),
        413,
        tooLarge,
      );
    });

    it('do not include those of exactly a megabyte', async () => {
      for (const parts of [
        [head(`Content-Length: ${megabyte}`), bodyOf(megabyte)],
        [head('Transfer-Encoding: chunked'), chunk(bodyOf(megabyte)), chunk('')],
      ])
        expect((await rawRequest(service.baseUrl, ...parts)).status).to.equal(201);
    });
  });
});
