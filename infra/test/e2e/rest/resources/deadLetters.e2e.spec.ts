import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { organizationTarget } from '@roomwire/command-api/organizations/decider';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import type { Role } from '@roomwire/shared/domain/role';
import type { ApiClient } from '../../../support/apiClient.js';
import { recordDeadLetters, type FailedCall } from '../../../support/deadLetters.js';
import { executeOn, withStores } from '../../../support/eventLogAccess.js';
import { expectApplicationError, expectTime, expectValidationError } from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

const sessionSecret = new Uint8Array(32).fill(7);
const projectId = randomUUID();
const unknownId = '11111111-2222-4333-8444-555555555555';

/** Organizations with entries of their own, so that no test sees what another one does. */
const organizations = { read: randomUUID(), changed: randomUUID(), empty: randomUUID() };

const newEntry = (organizationId: string, index: number): FailedCall => ({
  dlqId: randomUUID(),
  organizationId,
  projectId,
  appId: randomUUID(),
  kind: 'trigger',
  url: `https://example.com/t?n=${index}`,
  requestHeaders: { authorization: 'Bearer customer', 'content-type': 'application/json' },
  requestBody: {
    roomName: 'lobby',
    topicName: 'chat',
    actorId: randomUUID(),
    data: { index },
    scope: null,
  },
  responseStatus: index % 3 === 0 ? 404 : index % 3 === 1 ? 503 : null,
  error: 'It did not work',
  retryCount: index % 3 === 0 ? 0 : 2,
  status: index % 3 === 0 ? 'failed' : 'pending',
});

const entriesOf = (organizationId: string, count: number) =>
  Array.from({ length: count }, (_, index) => newEntry(organizationId, index));

const read = entriesOf(organizations.read, 120);
const changed = entriesOf(organizations.changed, 6);

describe('REST webhook dead letters', () => {
  let service: TestService;

  before(async () => {
    service = await startTestService({ sessionSecret }, (config) =>
      withStores(config, async (stores) => {
        const log = await stores.log();
        for (const organizationId of Object.values(organizations))
          await executeOn(log, { organizationId, projectId: null })(organizationTarget(organizationId), {
            type: 'CreateOrganization',
            organization: { organizationId, name: 'O', plan: unlimitedPlan },
          });
        for (let report = 0; report < 2; report += 1) await recordDeadLetters(stores, [...read, ...changed]);
      }),
    );
  });
  after(() => service.close());

  const session = async (organizationId: string, role: Role = 'admin'): Promise<ApiClient> => {
    const roles = { [organizationId]: role };
    const claims = { subject: 'ada', organizationIds: [organizationId], isOperator: false, roles };
    return service.client(await mintSessionToken(sessionSecret, claims, 60, systemClock));
  };
  const queue = (organizationId: string) => `/organizations/${organizationId}/webhook-dlq`;

  describe('are listed', () => {
    const path = queue(organizations.read);
    let ada: ApiClient;
    before(async () => void (ada = await session(organizations.read)));

    const indexes = async (query: string) => {
      const { status, body } = await ada.get(`${path}?${query}`);
      expect(status, query).to.equal(200);
      return (body.data as { requestBody: { data: { index: number } } }[]).map(
        ({ requestBody }) => requestBody.data.index,
      );
    };
    const newest = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index);

    it('newest first, fifty per page, each with all that was sent', async () => {
      const { status, body } = await ada.get(path);
      expect(status).to.equal(200);
      expect(body.pagination).to.eql({ total: 120, limit: 50, offset: 0 });
      expect(await indexes('')).to.eql(newest(119, 50));
      const [first] = body.data;
      expectTime(first.createdAt);
      expect(first).to.eql({
        ...read[119],
        ...{ redriveCount: 0, lastRedriveAt: null, lastRedriveBy: null },
        createdAt: first.createdAt,
        updatedAt: first.createdAt,
      });
      expect((await ada.get(`${path}/${first.dlqId}`)).body).to.eql(first);
    });

    it('to viewers without the values of headers and of the query', async () => {
      const hidden = {
        requestHeaders: { authorization: '[hidden]', 'content-type': '[hidden]' },
        url: 'https://example.com/t?n=[hidden]',
      };
      const viewer = await session(organizations.read, 'viewer');
      const [first] = (await viewer.get(path)).body.data;
      expect(first).to.deep.include({ ...hidden, requestBody: read[119]?.requestBody });
      expect((await viewer.get(`${path}/${first.dlqId}`)).body).to.eql(first);
      const editor = await session(organizations.read, 'editor');
      expect((await editor.get(`${path}/${first.dlqId}`)).body.requestHeaders).to.eql(
        read[119]?.requestHeaders,
      );
    });

    it('from an offset, with a clamped limit', async () => {
      expect(await indexes('limit=2&offset=3')).to.eql([116, 115]);
      expect(await indexes('offset=110')).to.eql(newest(9, 10));
      expect(await indexes('offset=500')).to.eql([]);
      expect((await ada.get(`${path}?limit=1e9&offset=7`)).body.pagination).to.eql({
        total: 120,
        limit: 100,
        offset: 7,
      });
      for (const limit of ['0', '-1', '1.9'])
        expect((await ada.get(`${path}?limit=${limit}`)).body.pagination.limit, limit).to.equal(1);
    });

    it('by status', async () => {
      const failed = (await ada.get(`${path}?status=failed&limit=100`)).body;
      expect(failed.pagination.total).to.equal(40);
      expect((failed.data as { status: string }[]).every(({ status }) => status === 'failed')).to.equal(true);
      expect((await ada.get(`${path}?status=pending`)).body.pagination.total).to.equal(80);
      expect((await ada.get(`${path}?status=dead`)).body).to.eql({
        data: [],
        pagination: { total: 0, limit: 50, offset: 0 },
      });
    });

    it('[HOOK-DLQ-5] by kind, project, app, URL and time, and several of these', async () => {
      const total = async (query: string): Promise<number> => {
        const { status, body } = await ada.get(`${path}?${query}`);
        expect(status, query).to.equal(200);
        expect((body.data as unknown[]).length, query).to.equal(
          Math.min(50, body.pagination.total as number),
        );
        return body.pagination.total as number;
      };
      const one = read[7] as FailedCall;
      const { createdAt } = (await ada.get(`${path}/${one.dlqId}`)).body as { createdAt: string };
      expect(await total('kind=trigger')).to.equal(120);
      for (const kind of ['event', 'job', 'schedule']) expect(await total(`kind=${kind}`)).to.equal(0);
      expect(await total(`projectId=${projectId}`)).to.equal(120);
      expect(await total(`projectId=${projectId.toUpperCase()}&status=failed`)).to.equal(40);
      expect(await total(`projectId=${unknownId}`)).to.equal(0);
      expect(await indexes(`appId=${one.appId}`)).to.eql([7]);
      expect(await indexes(`url=${encodeURIComponent(one.url ?? '')}`)).to.eql([7]);
      expect(await total('url=https://example.com/t')).to.equal(0);
      expect(await indexes(`appId=${one.appId}&from=${createdAt}&to=${createdAt}`)).to.eql([7]);
      expect((await total(`from=${createdAt}`)) + (await total(`to=${createdAt}`))).to.be.at.least(121);
      const hourLater = new Date(Date.parse(createdAt) + 3_600_000).toISOString();
      expect(await total(`from=${hourLater}`)).to.equal(0);
      expect(await total(`kind=trigger&status=pending&projectId=${projectId}&to=${hourLater}`)).to.equal(80);
    });

    it('and refuse an invalid query', async () => {
      for (const query of [
        'limit=abc',
        'limit=',
        'limit=1&limit=2',
        'offset=abc',
        'offset=-1',
        'offset=1.5',
        'status=on',
        'kind=hydration',
        'projectId=x',
        'appId=',
        'from=yesterday',
        'to=1',
      ])
        expectValidationError(await ada.get(`${path}?${query}`), query.split('=')[0] ?? '');
    });

    it('and counted while they are pending', async () => {
      expect((await ada.get(`${path}/stats/pending-count`)).body).to.eql({ count: 80 });
      expect((await service.operator.get(`${queue(organizations.empty)}/stats/pending-count`)).body).to.eql({
        count: 0,
      });
    });
  });

  it('are marked dead, once', async () => {
    const ada = await session(organizations.changed);
    const path = queue(organizations.changed);
    const before = (await ada.get(`${path}/stats/pending-count`)).body.count as number;
    const { dlqId } = changed[1] as FailedCall;
    const shown = (await ada.get(`${path}/${dlqId}`)).body;
    const marked = await ada.delete(`${path}/${dlqId}/mark-dead`);
    expect(marked.status).to.equal(200);
    expect(marked.body).to.eql({ ...shown, status: 'dead', updatedAt: marked.body.updatedAt });
    expect((await ada.get(`${path}/${dlqId}`)).body).to.eql(marked.body);
    expect(await ada.delete(`${path}/${dlqId}/mark-dead`)).to.deep.include({
      status: 200,
      body: marked.body,
    });
    expect((await ada.get(`${path}?status=dead`)).body.data).to.eql([marked.body]);
    expect((await ada.get(`${path}/stats/pending-count`)).body).to.eql({ count: before - 1 });
    const failed = changed[0]?.dlqId;
    expect((await ada.delete(`${path}/${failed}/mark-dead`)).body.status).to.equal('dead');
  });

  it('are deleted', async () => {
    const ada = await session(organizations.changed);
    const path = queue(organizations.changed);
    const { total } = (await ada.get(path)).body.pagination;
    const { dlqId } = changed[2] as FailedCall;
    const deleted = await ada.delete(`${path}/${dlqId}`);
    expect([deleted.status, deleted.body]).to.eql([204, undefined]);
    for (const answer of [
      await ada.get(`${path}/${dlqId}`),
      await ada.delete(`${path}/${dlqId}`),
      await ada.delete(`${path}/${dlqId}/mark-dead`),
    ])
      expectApplicationError(answer, 404, `Webhook dead letter ${dlqId} not found`);
    expect((await ada.get(path)).body.pagination.total).to.equal(total - 1);
  });

  it('are not found through another organization', async () => {
    const { dlqId } = read[0] as FailedCall;
    const ada = await session(organizations.empty);
    const [own, theirs] = [queue(organizations.empty), queue(organizations.read)];
    for (const id of [dlqId, unknownId]) {
      expectApplicationError(await ada.get(`${own}/${id}`), 404, `Webhook dead letter ${id} not found`);
      for (const path of [`${own}/${id}`, `${own}/${id}/mark-dead`])
        expectApplicationError(await ada.delete(path), 404, `Webhook dead letter ${id} not found`);
    }
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/stats/pending-count'],
      ['GET', `/${dlqId}`],
      ['DELETE', `/${dlqId}/mark-dead`],
      ['DELETE', `/${dlqId}`],
    ] as const)
      expectApplicationError(
        await ada.send(`${theirs}${path}`, { method }),
        404,
        `Organization ${organizations.read} not found`,
      );
    expect((await service.operator.get(`${theirs}/${dlqId}`)).status).to.equal(200);
  });

  it('have UUIDs as ids, as organizations have', async () => {
    const path = queue(organizations.read);
    expectApplicationError(await service.operator.get(`${path}/stats`), 400, 'Invalid dlqId UUID format');
    expectApplicationError(
      await service.operator.delete(`${path}/stats/mark-dead`),
      400,
      'Invalid dlqId UUID format',
    );
    expectApplicationError(await service.operator.get(queue('x')), 400, 'Invalid orgId UUID format');
  });
});
