import { expect } from 'chai';
import { isOnEngines } from '@roomwire/testing/run/testProfile';
import { writeThenRead } from '../../../support/readingTheirWrites.js';
import { startTestService, type TestService } from '../../../support/testService.js';

describe('REST consistency', () => {
  let service: TestService;

  before(async () => void (service = await startTestService()));
  after(() => service.close());

  const tally = (values: readonly number[]): Record<number, number> =>
    Object.fromEntries(
      [...new Set(values)].map((value) => [value, values.filter((each) => each === value).length]),
    );

  it('accepts one of fifty equal creates', async () => {
    const { appId } = (await service.project.post('/apps', { name: 'Race' })).body;
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () =>
          service.project.post(`/apps/${appId}/rooms`, { name: 'x', slug: `room-${round}` }),
        ),
      );
      expect(tally(answers.map(({ status }) => status))).to.eql({ 201: 1, 409: 49 });
    }
    expect((await service.project.get(`/apps/${appId}/rooms`)).body).to.have.length(5);
  });

  it('never exceeds the app limit', async () => {
    const { client } = await service.newProject({ maxApps: 7 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.post('/apps', { name: 'x' })));
    expect(tally(answers.map(({ status }) => status))).to.eql({ 201: 7, 403: 33 });
  });

  it('accepts one of many equal slug changes', async () => {
    const { client } = await service.newProject();
    const apps = await Promise.all(Array.from({ length: 20 }, () => client.post('/apps', { name: 'x' })));
    const answers = await Promise.all(
      apps.map(({ body }) => client.patch(`/apps/${body.appId}`, { slug: 'the-one' })),
    );
    expect(tally(answers.map(({ status }) => status))).to.eql({ 200: 1, 409: 19 });
  });

  it('keeps every limit of a plan whose limits are changed concurrently', async () => {
    const { organizationId } = await service.newProject();
    const path = `/organizations/${organizationId}`;
    for (let round = 1; round <= 10; round += 1) {
      const plan = { maxApps: round, maxConnections: round, monthlyMessages: round };
      await Promise.all(
        Object.entries(plan).map(([limit, value]) =>
          service.operator.patch(path, { plan: { [limit]: value } }),
        ),
      );
      expect((await service.operator.get(path)).body.plan).to.eql(plan);
    }
  });

  it('shows every write to the next read', async function () {
    this.timeout(60_000);
    const [workers, pairsOfEach] = [8, isOnEngines() ? 25 : 125];
    const { client } = await service.newProject();
    const { appId } = (await client.post('/apps', { name: 'Reads' })).body;
    const rooms = `/apps/${appId}/rooms`;
    const pairs = async (worker: number): Promise<void> => {
      for (let index = 0; index < pairsOfEach; index += 1)
        await writeThenRead(
          () => client.post(rooms, { name: `w${worker} r${index}` }),
          async (created) => {
            expect(created.status).to.equal(201);
            expect((await client.get(`${rooms}/${created.body.roomId}`)).body).to.eql(created.body);
          },
        );
    };
    await Promise.all(Array.from({ length: workers }, (_, worker) => pairs(worker)));
    expect((await client.get(rooms)).body).to.have.length(workers * pairsOfEach);
  });
});
