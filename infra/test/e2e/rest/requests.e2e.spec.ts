import { expect } from 'chai';
import { expectApplicationError, expectUuid } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';

const given = '0f9d5c1e-7a52-4c1b-9d57-3f0a6d5f2b11';
const unknownApp = '/apps/11111111-2222-4333-8444-555555555555';

describe('REST request id', () => {
  let service: TestService;

  before(async () => void (service = await startTestService()));
  after(() => service.close());

  const get = (path: string, requestId?: string) =>
    service.project.send(path, requestId === undefined ? {} : { headers: { 'x-request-id': requestId } });

  it('is generated for each request', async () => {
    const ids = await Promise.all([get('/apps'), get('/apps')]);
    const [first, second] = ids.map(({ headers }) => headers.get('x-request-id'));
    expectUuid(first);
    expectUuid(second);
    expect(first).not.to.equal(second);
  });

  it('is that of the caller when it is a UUID, in the same case', async () => {
    for (const id of [given, given.toUpperCase()])
      expect((await get('/apps', id)).headers.get('x-request-id')).to.equal(id);
    const failed = await get('/actors/x', given);
    expectApplicationError(failed, 400, 'Invalid actorId: must be a UUID or public keyId (at_...)');
    expect(failed.body.id).to.equal(given);
    expect((await get('/nothing', given)).body.id).to.equal(given);
  });

  it('is generated when that of the caller is not a UUID', async () => {
    for (const id of [
      '',
      'x',
      `${given} `.repeat(2),
      `${given}, ${given}`,
      'a'.repeat(4_000),
      `{${given}}`,
    ]) {
      const { headers, body } = await get('/actors/x', id);
      expectUuid(headers.get('x-request-id'));
      expect(headers.get('x-request-id')).not.to.equal(given);
      expect(body.id).to.equal(headers.get('x-request-id'));
    }
    expect((await get(unknownApp, given)).headers.get('x-request-id')).to.equal(given);
  });
});

const message = 'Too many requests, please slow down';

describe('REST rate limit', () => {
  let service: TestService;

  // One request in ten seconds: nothing comes back while a test runs.
  before(async () => void (service = await startTestService({ restRate: 0.1, restBurst: 12 })));
  after(() => service.close());

  it('answers 429 with Retry-After once an API key has used its burst, and only for that key', async () => {
    const { operator } = service;
    const { organizationId, projectId } = service.credentials;
    const keys = `/organizations/${organizationId}/projects/${projectId}/api-keys`;
    const [mine = '', other = ''] = await Promise.all(
      ['mine', 'other'].map(async (name) => (await operator.post(keys, { name })).body.apiKey as string),
    );
    const client = service.client(mine);

    const burst = await Promise.all(Array.from({ length: 20 }, () => client.get('/apps')));
    expect(burst.filter(({ status }) => status === 200)).to.have.length(12);
    expect(burst.filter(({ status }) => status === 429)).to.have.length(8);

    const refused = await client.get('/apps/not-a-uuid');
    expectApplicationError(refused, 429, message);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).to.satisfy(Number.isInteger).and.to.be.within(1, 10);

    expect((await service.client(other).get('/apps')).status).to.equal(200);
    expectApplicationError(
      await service.client(undefined).get('/apps'),
      401,
      'Authorization header not provided',
    );
    const wrong = service.client(`${mine.slice(0, -3)}xxx`);
    expectApplicationError(await wrong.get('/apps'), 401, 'Invalid or expired API key');
  });

  it('limits the subject of a session in the same way', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.operator.get('/organizations')),
    );
    const refused = answers.find(({ status }) => status === 429) ?? expect.fail('None was refused');
    expectApplicationError(refused, 429, message);
    expect(refused.headers.get('retry-after')).to.match(/^[1-9]\d*$/);
  });
});
