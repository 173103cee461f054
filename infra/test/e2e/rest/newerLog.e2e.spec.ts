import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { changesOf } from '@roomwire/projections/projectors';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { freePort } from '@roomwire/testing/run/freePort';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { readConfig, type Config } from '../../../src/config/config.js';
import { startStandalone } from '../../../src/standalone/standalone.js';
import { type PastEvent, withLog, withStores, writeHistory } from '../../support/eventLogAccess.js';
import { startTestService, type TestService } from '../../support/testService.js';

const fixture = new URL('../../../../test/fixtures/events-of-schema-version-1.jsonl', import.meta.url);
const apiKey = 'ak_live_f70d12ad52d081a4fbe86809.6vqybna6oQtIWztZirkQ5-Q_i35Rt08KH4AOMAo7LEg';
const [changed, untouched] = ['c34ef6c7-68b1-48f0-ab82-0988dd9ad312', '3b85eb4a-24b6-4697-bd59-ced4b555ec76'];

const history = readFileSync(fixture, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as PastEvent);

/** What a newer version has written to the stream of one actor. */
const newer: PastEvent = {
  ...(history.find(({ stream }) => stream === `actor-${changed}`) as PastEvent),
  ...{ id: '0b2f7a3c-5b86-4a53-9d0e-0a4f2f6f1c11', type: 'ActorPromoted' },
};

const writeNewerLog = (config: Config): Promise<void> =>
  withLog(config, (log) => writeHistory(log, [...history, newer]));

/** As the projector of the newer version has, which was here before. */
const projectAll = (config: Config): Promise<void> =>
  withStores(config, async (stores) => {
    const [log, views] = [await stores.log(), await stores.views()];
    for await (const events of log.readAll()) {
      const changes = events.filter(({ id }) => id !== newer.id).flatMap(changesOf);
      await views.apply({ changes, position: (events.at(-1) as RecordedEvent).position });
    }
  });

describe('a log with an event of a newer version', () => {
  let service: TestService;

  before(async () => {
    service = await startTestService({}, async (config) => {
      await writeNewerLog(config);
      await projectAll(config);
    });
  });
  after(() => service.close());

  it('refuses commands on its stream with 503 and when to try again, and only these', async () => {
    const client = service.client(apiKey);
    for (const refused of [
      await client.patch(`/actors/${changed}`, { name: 'N' }),
      await client.delete(`/actors/${changed}`),
    ]) {
      expect(refused.status).to.equal(503);
      expect(refused.body).to.have.all.keys('id', 'message', 'timestamp');
      expect(Number(refused.headers.get('retry-after'))).to.be.at.least(1);
    }
    expect((await client.patch(`/actors/${untouched}`, { name: 'N' })).status).to.equal(200);
  });

  it('is read as far as it is known', async () => {
    const client = service.client(apiKey);
    expect((await client.get(`/actors/${changed}`)).body.name).to.equal('Gauge');
    expect((await client.get('/actors')).body).to.have.length(2);
  });

  it('is told in the log once, with the remedy', () => {
    expect(service.logLines.filter(({ level }) => level === 'error')).to.eql([]);
    const told = service.logLines.filter(({ fields }) => fields?.['remedy'] === 'update command-api');
    expect(told).to.have.length(1);
  });
});

describe('read models that stop before an event of a newer version', () => {
  it('are told of by /readyz, with the remedy', async () => {
    const folder = await temporaryFolder();
    const config = { ...readConfig({}), dataDir: folder.path, port: await freePort(), opsPort: 0 };
    await writeNewerLog(config);
    const { started, close } = startStandalone(config, createRecordingLogger().logger);
    started.catch(() => undefined);
    const readiness = async (): Promise<any> => {
      const answer = await fetch(`http://127.0.0.1:${config.port}/readyz`);
      return { ...((await answer.json()) as object), code: answer.status };
    };
    try {
      await eventually(async () => (await readiness().catch(() => ({}))).hindrances !== undefined);
      const { code, status, hindrances } = await readiness();
      expect([code, status]).to.eql([503, 'not ready']);
      expect(hindrances).to.have.length(1);
      expect(hindrances[0]).to.contain('ActorPromoted').and.to.contain('update projections');
    } finally {
      await close();
      await folder.remove();
    }
  });
});
