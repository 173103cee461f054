import { expect } from 'chai';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';

const secrets = ['first-secret', 'second-secret'] as const;
const webhook = (secret: string, path = 'hook') => ({
  url: `https://example.com/${path}?key=${secret}`,
  headers: { 'X-Key': secret },
});
const shownWebhook = (path = 'hook') => ({
  url: `https://example.com/${path}?key=[hidden]`,
  headers: { 'X-Key': '[hidden]' },
});

describe('the audit of webhooks', () => {
  let service: TestService;
  let project: TestProject;
  let appId: string;
  let start: string;

  before(async () => {
    service = await startTestService();
    project = await service.newProject();
    start = new Date(Date.now() - 1_000).toISOString();
    const topicConfigs = { chat: { webhooks: { onPublish: webhook(secrets[0]) } } };
    const definition = { topics: ['chat'], triggerWebhook: webhook(secrets[0]), topicConfigs };
    const blueprints = `/organizations/${project.organizationId}/blueprints`;
    const blueprint = { name: 'b', version: '1.0.0', definition };
    expect((await service.operator.post(blueprints, blueprint)).status).to.equal(201);
    ({ appId } = (
      await project.client.post('/apps', {
        ...{ name: 'App', topics: ['chat'], topicConfigs },
        ...{ triggerWebhook: webhook(secrets[0]), hydrationWebhook: webhook(secrets[0], 'hydrate') },
      })
    ).body);
    await project.client.patch(`/apps/${appId}`, { triggerWebhook: webhook(secrets[1]) });
  });
  after(() => service.close());

  const audit = async (query: string): Promise<any> => {
    const { status, body } = await service.operator.get(`/organizations/${project.organizationId}/${query}`);
    expect(status, query).to.equal(200);
    for (const secret of secrets) expect(JSON.stringify(body), query).not.to.include(secret);
    return body;
  };

  it('lists the names of their headers, and no values', async () => {
    const { data } = await audit('audit?limit=100');
    const events = new Map<string, any>((data as any[]).map((event) => [event.type, event.data]));
    expect(events.get('AppCreated').hydrationWebhook).to.eql(shownWebhook('hydrate'));
    expect(events.get('AppCreated').topicConfigs.chat.webhooks.onPublish).to.eql(shownWebhook());
    expect(events.get('AppUpdated').changes).to.eql({ triggerWebhook: shownWebhook() });
    expect(events.get('BlueprintVersionAdded').definition.triggerWebhook).to.eql(shownWebhook());
  });

  it('shows neither in a past state', async () => {
    const { record } = await audit(`audit/state?resourceId=${appId}`);
    expect(record.triggerWebhook).to.eql(shownWebhook());
    expect(record.name).to.equal('App');
  });

  it('says that a header has changed, when and by whom, and not what it was or is', async () => {
    const { differences } = await audit(`audit/diff?resourceId=${appId}&from=${start}`);
    expect(differences.length).to.be.greaterThan(5);
    const created = (await audit(`audit?resourceId=${appId}&type=AppCreated`)).data[0].occurredAt;
    const changed = (await audit(`audit/diff?resourceId=${appId}&from=${created}`)).differences;
    const header = (changed as any[]).find(({ path }) => path === '/triggerWebhook/headers/X-Key');
    expect(header).to.deep.include({ before: '[hidden]', after: '[hidden]' });
    expect(header.change).to.include({ type: 'AppUpdated' });
  });

  it('leaves the app as it is for those who may configure it', async () => {
    expect((await project.client.get(`/apps/${appId}`)).body.triggerWebhook).to.eql(webhook(secrets[1]));
  });
});
