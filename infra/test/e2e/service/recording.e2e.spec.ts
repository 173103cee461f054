import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedMessageStore } from '@roomwire/shared/adapters/message-store/embeddedMessageStore';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { startProgram, stop } from '../../support/program.js';
import {
  openClient,
  type PublishedLedger,
  publishUntilEnded,
  recordedTexts,
} from '../../support/sdkClients.js';

const rounds = 5;
const settings = {
  ROOMWIRE_MESSAGE_RECORDING: 'true',
  ROOMWIRE_PUBLISH_RATE: '0',
  ROOMWIRE_LOG_LEVEL: 'error',
};

describe('recorded messages on files', () => {
  it(`[WS-RECORD-3] include every message that was answered with published, over ${rounds} ends by SIGKILL`, async function () {
    this.timeout(120_000);
    const folder = await temporaryFolder();
    const ledger: PublishedLedger = new Set();
    let service = await startProgram(folder.path, settings);
    const { project, credentials } = service;
    const topicConfigs = { chat: { logging: { enabled: true, retention: '1d' } } };
    const app = (await project.post('/apps', { name: 'place', topics: ['chat'], topicConfigs })).body;
    await project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
    const tokens: string[] = [];
    for (let n = 0; n < 4; n += 1)
      tokens.push((await project.post('/actors', { name: 'x', actorType: 'user' })).body.accessToken);

    for (let round = 0; round < rounds; round += 1) {
      const { socketUrl } = service;
      const clients = await Promise.all(tokens.map((token) => openClient(socketUrl, token)));
      const target = ledger.size + 40 + 17 * round;
      const topic = `${app.slug}/lobby/chat`;
      const writers = clients.map((client, n) => publishUntilEnded(client, topic, `${round}-${n}`, ledger));
      await eventually(() => ledger.size >= target, { withinMs: 20_000 });
      await stop(service, 'SIGKILL');
      await Promise.all(writers);
      await Promise.all(clients.map((client) => client.close()));
      service = await startProgram(folder.path, settings);
    }
    expect((await stop(service)).code).to.equal(0);

    const record = await openEmbeddedMessageStore({ file: (name) => join(folder.path, name) });
    const texts = await recordedTexts(record, `${credentials.projectId}/${app.slug}/_/lobby/chat`);
    await record.close();
    await folder.remove();
    expect(new Set(texts).size).to.equal(texts.length);
    expect(texts).to.include.members([...ledger]);
    // Each writer's, in the order in which it published.
    for (const writer of new Set([...ledger].map(writerOf))) {
      const numbers = texts.filter((text) => writerOf(text) === writer).map(numberOf);
      expect(numbers).to.eql([...numbers].sort((a, b) => a - b));
    }
  });
});

const writerOf = (text: string): string => text.slice(0, text.lastIndexOf('-'));
const numberOf = (text: string): number => Number(text.slice(text.lastIndexOf('-') + 1));
