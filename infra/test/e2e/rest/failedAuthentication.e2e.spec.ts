import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { startTestService, type TestService } from '../../support/testService.js';

describe('failed authentication over REST', () => {
  let service: TestService;

  // The delays double from 100 ms on: none of the last ones ends in the time of this test.
  before(async () => void (service = await startTestService({ failedAuthDelayMs: 3_600_000 })));
  after(() => service.close());

  it('is answered late after many of an address, while good credentials of the address are not', async () => {
    const status = (credential: string) =>
      service
        .client(credential)
        .get('/apps')
        .then((answer) => answer.status);
    for (let n = 0; n < 5; n++) expect(await status(`ak_live_unknown${n}.secret`)).to.equal(401);

    let lateAnswers = 0;
    for (let n = 0; n < 15; n++)
      void status(`ak_live_other${n}.secret`).then(
        () => lateAnswers++,
        () => undefined,
      );
    const limitLine = () =>
      service.logLines.find(({ fields }) => fields?.['limit'] === 'failedAuthsPerAddress');
    await eventually(() => limitLine() !== undefined);
    for (let n = 0; n < 5; n++) expect((await service.project.get('/apps')).status).to.equal(200);
    expect((await service.operator.get('/organizations')).status).to.equal(200);
    expect(lateAnswers).to.be.below(15);

    expect(limitLine()?.fields).to.include({ address: '127.0.0.1' });
    expect(JSON.stringify(service.logLines)).not.to.include('.secret');
  });
});
