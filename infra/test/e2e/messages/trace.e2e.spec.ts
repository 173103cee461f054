import { expect } from 'chai';
import { isOnEngines } from '@roomwire/testing/run/testProfile';
import { startTestService, type TestService } from '../../support/testService.js';
import { tracedCauses } from '../../support/tracedCauses.js';
import { TracedRoom, type TracedService } from '../../support/tracedRoom.js';

describe('why a message did not arrive', function () {
  this.timeout(60_000);
  let service: TestService;

  before(async () => void (service = await startTestService({ connectionRecord: true })));
  after(() => service.close());

  const open = async (): Promise<TracedService> => {
    const { client: project, organizationId, projectId } = await service.newProject();
    const { operator, socketUrl } = service;
    return { operator, project, organizationId, projectId, gateways: [socketUrl, socketUrl] };
  };

  // On engines they are traced across two gateways, in `infra/test/engines`.
  if (!isOnEngines()) tracedCauses(open);

  it("is asked of exactly one message or time, of an actor and a scope that there are, in one's own organization", async () => {
    const room = await TracedRoom.open(await open());
    const statusOf = async (query: Readonly<Record<string, string>>): Promise<number> =>
      (await room.ask(query)).status;
    expect(await statusOf({})).to.equal(400);
    expect(await statusOf({ messageId: 'a', at: new Date().toISOString() })).to.equal(400);
    expect(await statusOf({ messageId: 'a', topic: 'not-an-address' })).to.equal(400);
    expect(await statusOf({ at: 'yesterday' })).to.equal(400);
    expect(await statusOf({ messageId: 'a', actorId: 'nobody' })).to.equal(404);
    expect(await statusOf({ messageId: 'a', scope: 'nowhere' })).to.equal(404);
    const another = await open();
    expect(await statusOf({ messageId: 'a', projectId: another.projectId })).to.equal(404);
    const stranger = await another.project.post('/actors', { name: 'x', actorType: 'user' });
    expect(await statusOf({ messageId: 'a', actorId: stranger.body.keyId })).to.equal(404);
    expect(await statusOf({ messageId: 'a', actorId: stranger.body.actorTokenId })).to.equal(404);
    expect(await statusOf({ messageId: 'a', actorId: 'ext:nobody' })).to.equal(200);
  });
});
