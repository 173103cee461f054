import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import type { Role } from '@roomwire/shared/domain/role';
import { appWithRoom, actorOf } from '../../support/hookedApp.js';
import { projectWithCircuits, type ProjectWithCircuits } from '../../support/openCircuits.js';
import { startTestService, type TestService } from '../../support/testService.js';

const { answer } = reactions;

describe('[HOOK-CIRCUIT-4] circuits over REST', () => {
  let service: TestService;
  let endpoint: WebhookEndpoint;
  let project: ProjectWithCircuits;
  let list: string;

  before(async () => {
    endpoint = await WebhookEndpoint.open(answer(503));
    project = projectWithCircuits([endpoint.url, 'https://example.com/hook?key=secret']);
    service = await startTestService({ webhookAllowPrivate: true }, project.seed);
    list = `/organizations/${project.organizationId}/projects/${project.projectId}/webhook-circuits`;
  });
  after(async () => {
    await service?.close();
    await endpoint.close();
  });

  const sessionOf = async (role: Role) => {
    const { organizationId } = project;
    const session = {
      ...{ subject: role, organizationIds: [organizationId], isOperator: false },
      roles: { [organizationId]: role },
    };
    return service.client(await mintSessionToken(new Uint8Array(32).fill(7), session, 3600, systemClock));
  };

  it('are listed, without the credentials of the URL for viewers', async () => {
    const { body } = await (await sessionOf('editor')).get(list);
    expect(body.pagination).to.eql({ total: 2, page: 1, pageCount: 1 });
    expect(body.data[0]).to.include({ url: 'https://example.com/hook?key=secret', calls: 50 });
    const shown = (await (await sessionOf('viewer')).get(list)).body;
    expect(shown.data[0].url).to.equal('https://example.com/hook?key=[hidden]');
  });

  it('are closed by editors, once, and that is in the history', async () => {
    const url = 'https://example.com/hook?key=secret';
    const [viewer, editor] = [await sessionOf('viewer'), await sessionOf('editor')];
    expect((await viewer.post(`${list}/close`, { url })).status).to.equal(403);
    expect((await editor.post(`${list}/close`, { url })).body).to.eql({ closed: true });
    expect((await editor.post(`${list}/close`, { url })).body).to.eql({ closed: false });
    expect((await editor.get(list)).body.pagination.total).to.equal(1);
    const { data } = (await editor.get(`/organizations/${project.organizationId}/audit?limit=1`)).body;
    expect(data[0]).to.include({ type: 'WebhookCircuitClosed', principal: 'session:editor' });
  });

  it('let the calls go that waited', async () => {
    const { organizationId, projectId } = project;
    const keys = `/organizations/${organizationId}/projects/${projectId}/api-keys`;
    const { apiKey } = (await service.operator.post(keys, { name: 'K' })).body;
    const client = service.client(apiKey);
    const { topic } = await appWithRoom(client, { triggerWebhook: { url: endpoint.url } });
    const { actorTokenId } = await actorOf(client);
    const publish = (data: string) => client.post('/publish', { topic, data, as: actorTokenId });
    // The first is tried, and fails; from then on one in thirty seconds would be. Where the consumer has learned of the circuit from
    // its event, rather than from the read models at its start, the first is tried after thirty seconds, too.
    await publish('first');
    await eventually(() => endpoint.received.length > 0, { what: 'the try', withinMs: 40_000 });
    await publish('second');
    endpoint.reaction = answer(204);
    const editor = await sessionOf('editor');
    expect((await editor.post(`${list}/close`, { url: endpoint.url })).body).to.eql({ closed: true });
    const sent = (): readonly unknown[] =>
      endpoint.received.map(({ json }) => (json as { readonly data: unknown }).data);
    await eventually(() => sent().includes('second'), { what: 'the call that waited', withinMs: 20_000 });
  }).timeout(70_000);
});
