import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import type { Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { openDuckDb } from '@roomwire/analytics/store/duckDb';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { AnalyticsLedger } from '../../support/analyticsLedger.js';
import { documentBlocks } from '../../support/documents.js';
import { runRoomwire, startProgram, stop, type RunningService } from '../../support/program.js';
import { openClient } from '../../support/sdkClients.js';

const seed = Number(process.env['ROOMWIRE_TEST_SEED'] ?? 20_260_131);
const kills = 6;
const quiet = { ROOMWIRE_LOG_LEVEL: 'error', ROOMWIRE_REST_RATE: '0', ROOMWIRE_PUBLISH_RATE: '0' };

describe(`roomwire analytics on files (seed ${seed})`, function () {
  // Each command is a separate process.
  this.timeout(240_000);
  const chance = seededChance(seed);
  let folder: TemporaryFolder;
  let endpoint: WebhookEndpoint;
  let service: RunningService;
  let app: any;
  let clients: Client[];
  let ledger: AnalyticsLedger;

  const start = async (settings: Readonly<Record<string, string>> = {}): Promise<void> => {
    service = await startProgram(folder.path, { ...quiet, ROOMWIRE_ANALYTICS: 'true', ...settings });
    const onPublish = { url: endpoint.url };
    const topicConfigs = { called: { webhooks: { onPublish } } };
    const { project } = service;
    app = (await project.post('/apps', { name: 'place', topics: ['chat', 'called'], topicConfigs })).body;
    for (const name of ['lobby', 'hall']) await project.post(`/apps/${app.appId}/rooms`, { name });
    for (let n = 0; n < 2; n += 1) {
      const { accessToken } = (await project.post('/actors', { name: 'x', actorType: 'user' })).body;
      clients.push(await openClient(service.socketUrl, accessToken));
    }
  };

  beforeEach(async () => {
    folder = await temporaryFolder();
    endpoint = await WebhookEndpoint.open();
    clients = [];
    ledger = new AnalyticsLedger();
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await stop(service, 'SIGKILL');
    await endpoint.close();
    await folder.remove();
  });

  const publish = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const actor = chance.below(clients.length);
      const [room, topic] = [chance.oneOf(['lobby', 'hall']), chance.below(20) === 0 ? 'called' : 'chat'];
      const data = { text: 'ü'.repeat(chance.below(300)), n };
      await clients[actor]?.publish(`${app.slug}/${room}/${topic}`, data);
      ledger.add(room, topic, actor, encode(data).length);
    }
  };
  const analytics = async (...args: string[]) => {
    const program = runRoomwire(['analytics', ...args], { ROOMWIRE_DATA_DIR: folder.path, ...quiet });
    const { code } = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };
  const report = async (...args: string[]): Promise<any> => {
    const { stdout, stderr } = await analytics('report', '--json', ...args);
    return stdout === '' ? { failed: stderr } : JSON.parse(stdout);
  };
  const expectAll = async (): Promise<void> => {
    const { rows, messages } = ledger;
    await eventually(async () => (await report()).totals?.[0].messages >= messages, {
      ...{ withinMs: 30_000, what: 'all to be counted' },
    });
    const by = (await report('--by', 'room,topic')).by as any[];
    expect(
      by.map(({ room, topic, messages: count, bytes, actors }) => ({
        room,
        topic,
        messages: count,
        bytes,
        actors,
      })),
    ).to.have.deep.members(rows);
  };

  it('counts every published message and byte, while the service runs and after it has stopped', async () => {
    endpoint.reaction = (response, _call, count) => response.writeHead(count === 1 ? 400 : 200).end();
    await start();
    await publish(400);
    await expectAll();
    if (process.platform === 'linux') {
      const maps = await readFile(`/proc/${service.program.process.pid}/maps`, 'utf8');
      expect(maps.includes('duckdb'), 'the service has loaded DuckDB').to.equal(false);
    }
    await publish(300);
    await expectAll();
    const calls = ledger.messagesOf('called');
    const [webhooks] = (await report()).webhooks as any[];
    expect(webhooks).to.include({ app_id: app.appId, kind: 'trigger', calls, delivered: calls - 1 });

    await stop(service);
    const { code, stdout, stderr } = await analytics('report');
    expect([code, stderr]).to.eql([0, '']);
    expect(stdout).to.match(new RegExp(`^Messages\\n\\n.*\\n.*\\n\\|\\s+${ledger.messages} \\|`));
    const charts = join(folder.path, 'analytics', 'charts');
    expect(stdout).to.include(`Charts are in ${charts}`);
    expect(await readdir(charts)).to.eql(['messages.svg', 'rooms.svg', 'webhooks.svg']);
    expect(await readFile(join(charts, 'rooms.svg'), 'utf8')).to.include(`>${app.slug}/lobby</text>`);
  });

  it('answers the queries of the document', async () => {
    await start();
    await publish(50);
    await expectAll();
    const commands = documentBlocks('docs/ANALYTICS.md', 'sh')
      .flatMap((block) => block.trimEnd().split('\n'))
      .filter((line) => line.startsWith('npx roomwire analytics'));
    expect(commands).to.have.length.greaterThan(3);
    for (const command of commands) {
      const words = command.replace('./charts', join(folder.path, 'drawn')).split(' ').slice(3);
      const { code, stdout, stderr } = await analytics(...words);
      expect([command, code, stderr]).to.eql([command, 0, '']);
      expect(stdout, command).to.match(/^(Messages|By |\{)/);
    }
    expect(await readdir(join(folder.path, 'drawn'))).to.have.lengthOf(3);

    const [sql = ''] = documentBlocks('docs/ANALYTICS.md', 'sql');
    const duckDb = await openDuckDb({ memoryMb: 256, spillFolder: join(folder.path, 'spill') });
    const rows = await duckDb.rows(sql.replace('data/', `${folder.path}/`));
    duckDb.close();
    expect(rows.reduce((sum, { messages }) => sum + Number(messages), 0)).to.equal(50);
  });

  it('counts every message once, although the writing process is killed at any moment', async () => {
    await start();
    for (let kill = 0; kill < kills; kill += 1) {
      const settings = { ROOMWIRE_DATA_DIR: folder.path, ...quiet };
      const writer = runRoomwire(['analytics', 'run', '--flush-seconds', '1'], settings);
      await writer.printed(/Roomwire analytics is running/);
      const published = publish(150);
      await pause(chance.below(1_600));
      writer.process.kill('SIGKILL');
      await Promise.all([published, writer.ended]);
    }
    await expectAll();
  });

  it('stores published messages only where that is configured', async () => {
    await start({ ROOMWIRE_ANALYTICS_PAYLOADS: 'true' });
    await clients[0]?.publish(`${app.slug}/lobby/chat`, { secret: 'of the customer' });
    ledger.add('lobby', 'chat', 0, encode({ secret: 'of the customer' }).length);
    await expectAll();
    await clients[0]?.close();
    await stop(service);
    const kept = await readFile(join(folder.path, 'analytics.lmdb'));
    expect(kept.includes('of the customer')).to.equal(true);

    service = await startProgram(folder.path, { ...quiet, ROOMWIRE_ANALYTICS: 'true' });
    const { accessToken } = (await service.project.post('/actors', { name: 'x', actorType: 'user' })).body;
    const client = await openClient(service.socketUrl, accessToken);
    await client.publish(`${app.slug}/lobby/chat`, { secret: 'of nobody else' });
    await client.close();
    ledger.add('lobby', 'chat', 9, encode({ secret: 'of nobody else' }).length);
    await expectAll();
    await stop(service);
    expect((await readFile(join(folder.path, 'analytics.lmdb'))).includes('of nobody else')).to.equal(false);
  });

  it('explains what to do where nothing is stored, and refuses unknown arguments', async () => {
    service = await startProgram(folder.path, quiet);
    for (const command of ['report', 'run']) {
      const { code, stderr } = await analytics(command);
      expect([command, code]).to.eql([command, 2]);
      expect(stderr).to.include('start Roomwire with ROOMWIRE_ANALYTICS=true');
    }
    for (const [option, value] of [
      ['--from', 'yesterday'],
      ['--by', 'colour'],
      ['--top', '0'],
    ] as const) {
      const { code, stderr } = await analytics('report', option, value);
      expect([option, code]).to.eql([option, 2]);
      expect(stderr).to.include('is expected.');
    }
  });
});
