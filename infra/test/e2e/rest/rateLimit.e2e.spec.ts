import { expect } from 'chai';
import { expectApplicationError } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';

const message = 'Too many requests, please slow down';

describe('REST rate limit', () => {
  let service: TestService;

  // One request in ten seconds: nothing comes back while a test runs.
  before(async () => void (service = await startTestService({ restRate: 0.1, restBurst: 12 })));
  after(() => service.close());

  it('answers 429 and when to come again once an API key has used up its burst, and nobody else', async () => {
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

  it('limits the subject of a session alike', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.operator.get('/organizations')),
    );
    const refused = answers.find(({ status }) => status === 429) ?? expect.fail('None was refused');
    expectApplicationError(refused, 429, message);
    expect(refused.headers.get('retry-after')).to.match(/^[1-9]\d*$/);
  });
});
