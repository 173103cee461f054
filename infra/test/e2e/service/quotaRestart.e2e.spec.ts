import { expect } from 'chai';
import { connect } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { apiClient } from '../../support/apiClient.js';
import { startProgram, stop, type RunningService } from '../../support/program.js';

const quiet = { ROOMWIRE_LOG_LEVEL: 'error', ROOMWIRE_REST_RATE: '0' };

const publish = async (
  { socketUrl }: RunningService,
  token: string,
  topic: string,
  times: number,
): Promise<string> => {
  const client = connect({ url: socketUrl, token, reconnect: false });
  try {
    await client.ready();
    for (let n = 0; n < times; n++) await client.publish(topic, n);
    return 'none';
  } catch (failure) {
    return (failure as { error: string }).error;
  } finally {
    await client.close();
  }
};

const messages = async ({ baseUrl, credentials }: RunningService): Promise<number> => {
  const { organizationId, sessionToken } = credentials;
  const { body } = await apiClient(baseUrl, sessionToken).get(`/organizations/${organizationId}/usage`);
  return body.messages[0].messages;
};

describe('the monthly quota and restarts', () => {
  it('[WS-PUB-9] the count survives a stop and a kill', async function () {
    this.timeout(60_000);
    const folder = await temporaryFolder();
    let service = await startProgram(folder.path, quiet);
    const app = (await service.project.post('/apps', { name: 'a', topics: ['t'] })).body;
    await service.project.post(`/apps/${app.appId}/rooms`, { name: 'r' });
    const { accessToken } = (await service.project.post('/actors', { name: 'x', actorType: 'user' })).body;
    const topic = `${app.slug}/r/t`;
    const { organizationId, sessionToken } = service.credentials;
    const plan = { maxApps: null, maxConnections: null, monthlyMessages: 8 };
    await apiClient(service.baseUrl, sessionToken).patch(`/organizations/${organizationId}`, { plan });

    expect(await publish(service, accessToken, topic, 3)).to.equal('none');
    // A stop writes down what no round has.
    expect((await stop(service)).code).to.equal(0);
    service = await startProgram(folder.path, quiet);
    expect(await messages(service)).to.equal(3);
    expect(await publish(service, accessToken, topic, 3)).to.equal('none');
    await eventually(async () => (await messages(service)) === 6);
    expect(await publish(service, accessToken, topic, 1)).to.equal('none');
    // Written one after the other: once the seventh can be read, the six are on disk, and it may be.
    await eventually(async () => (await messages(service)) === 7);
    await stop(service, 'SIGKILL');
    service = await startProgram(folder.path, quiet);
    const kept = await messages(service);
    expect(kept).to.be.oneOf([6, 7]);
    expect(await publish(service, accessToken, topic, 8 - kept)).to.equal('none');
    expect(await publish(service, accessToken, topic, 1)).to.equal('monthly_quota_exceeded');
    await stop(service);
    await folder.remove();
  });
});
