import { expect } from 'chai';
import { connect } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { startTestService, type TestProject, type TestService } from '../../../support/testService.js';

describe('REST apps of a suspended organization', () => {
  let service: TestService;
  let project: TestProject;

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => void (project = await service.newProject()));

  const setStatus = (status: string) =>
    service.operator.patch(`/organizations/${project.organizationId}`, { status });
  const names = async (query: string) =>
    ((await project.client.get(`/apps?${query}`)).body.data as { name: string }[]).map(({ name }) => name);
  const answerTo = async (token: string): Promise<string> => {
    const client = connect({ url: service.socketUrl, token, reconnect: false });
    const answer = await client.ready().then(() => 'admitted', String);
    await client.close();
    return answer;
  };
  const newApp = async (name: string) =>
    (await project.client.post('/apps', { name, topics: ['chat'] })).body;

  it('show as suspended in every answer, and with their own status afterwards', async () => {
    const { client } = project;
    const [on, off] = [await newApp('On'), await newApp('Off')];
    const disabled = (await client.patch(`/apps/${off.appId}`, { status: 'disabled' })).body;
    await setStatus('suspended');
    expect((await client.get(`/apps/${on.appId}`)).body).to.eql({ ...on, status: 'suspended' });
    expect((await client.get('/apps')).body.data).to.eql([
      { ...disabled, status: 'suspended' },
      { ...on, status: 'suspended' },
    ]);
    await setStatus('active');
    expect((await client.get(`/apps/${on.appId}`)).body.status).to.equal('active');
    expect((await client.get(`/apps/${off.appId}`)).body.status).to.equal('disabled');
  });

  it('are neither made nor changed', async () => {
    const { client } = project;
    const { appId } = await newApp('App');
    await setStatus('suspended');
    const refusal = { statusCode: 403, message: 'Organization is suspended', error: 'Forbidden' };
    for (const { status, body } of [
      await client.post('/apps', { name: 'Late' }),
      await client.patch(`/apps/${appId}`, { status: 'disabled' }),
      await client.delete(`/apps/${appId}`),
    ])
      expect([status, body]).to.eql([403, refusal]);
    await setStatus('active');
    expect((await client.get(`/apps/${appId}`)).body.status).to.equal('active');
  });

  it('are filtered by the status that they show', async () => {
    const off = await newApp('Off');
    await newApp('On');
    await project.client.patch(`/apps/${off.appId}`, { status: 'disabled' });
    expect(await names('status=suspended')).to.eql([]);
    expect(await names('status=active')).to.eql(['On']);
    await setStatus('suspended');
    expect(await names('status=suspended')).to.eql(['On', 'Off']);
    expect(await names('status=suspended&name=off')).to.eql(['Off']);
    for (const status of ['active', 'disabled']) {
      const { body } = await project.client.get(`/apps?status=${status}`);
      expect(body).to.eql({ data: [], pagination: { total: 0, page: 1, pageCount: 0 } });
    }
    const other = await service.newProject();
    expect((await other.client.get('/apps?status=suspended')).body.data).to.eql([]);
  });

  it('disconnect their clients, and accept them again afterwards', async () => {
    await newApp('App');
    const { accessToken: token } = (await project.client.post('/actors', { name: 'x', actorType: 'user' }))
      .body;
    const live = connect({ url: service.socketUrl, token, reconnect: false });
    await live.ready();
    const closed = new Promise((resolve) => {
      live.on('state', (state) => {
        if (state.name === 'closed') resolve(state.reason);
      });
    });
    await setStatus('suspended');
    expect(await closed).to.include({ closeCode: 4001, closeReason: 'token_revoked' });
    expect(await answerTo(token)).to.include('access_denied');
    await setStatus('active');
    // A gateway remembers the refusal until the change reaches it, which may be after the answer over REST.
    await eventually(async () => (await answerTo(token)) === 'admitted', {
      what: 'the client to be admitted',
    });
    await live.close();
  });
});
