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

  it('names each request anew', async () => {
    const ids = await Promise.all([get('/apps'), get('/apps')]);
    const [first, second] = ids.map(({ headers }) => headers.get('x-request-id'));
    expectUuid(first);
    expectUuid(second);
    expect(first).not.to.equal(second);
  });

  it('takes the id of the caller when it is a UUID, as it was sent', async () => {
    for (const id of [given, given.toUpperCase()])
      expect((await get('/apps', id)).headers.get('x-request-id')).to.equal(id);
    const failed = await get('/actors/x', given);
    expectApplicationError(failed, 400, 'Invalid actorId: must be a UUID or public keyId (at_...)');
    expect(failed.body.id).to.equal(given);
    expect((await get('/nothing', given)).body.id).to.equal(given);
  });

  it('makes one of its own for anything else', async () => {
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
