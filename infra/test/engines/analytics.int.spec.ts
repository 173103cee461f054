import { spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { analyticsStreams } from '@roomwire/analytics/analytics';
import { ask } from '@roomwire/analytics/report/report';
import type { Question } from '@roomwire/analytics/report/questions';
import { openDuckDb, type DuckDb } from '@roomwire/analytics/store/duckDb';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { freePort } from '@roomwire/testing/run/freePort';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { AnalyticsLedger } from '../support/analyticsLedger.js';
import type { ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster } from '../support/cluster.js';
import { documentBlocks } from '../support/documents.js';
import { runRoomwire, type Program } from '../support/program.js';

const seed = Number(process.env['ROOMWIRE_TEST_SEED'] ?? 20_260_131);
const kills = 4;
/** A group of consumers settles within seconds, on a machine that is free. */
const patienceMs = 120_000;
/** Webhook calls that the endpoint does not take. */
const refused = 5;
const rooms = ['lobby', 'hall', 'attic'];

const messageCount: Question = {
  ...{ name: 'count', title: 'Count', stream: 'messages', headings: [] },
  sql: 'SELECT count(*)::DOUBLE AS messages FROM messages',
};

describe(`roomwire analytics on engines (seed ${seed})`, function () {
  this.timeout(400_000);
  const chance = seededChance(seed);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let folder: TemporaryFolder;
  let duckDb: DuckDb;
  let endpoint: WebhookEndpoint;
  let projectId: string;
  let project: ApiClient;
  let app: any;
  const ledger = new AnalyticsLedger();
  const consumers = new Set<Program>();
  const clients: Client[] = [];

  before(async () => {
    folder = await temporaryFolder();
    duckDb = await openDuckDb({ memoryMb: 256, spillFolder: join(folder.path, '.spill') });
    endpoint = await WebhookEndpoint.open();
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    const [api, gateway] = await Promise.all([
      cluster.add('command-api'),
      cluster.add('gateway', { ROOMWIRE_PUBLISH_RATE: '0' }),
      cluster.add('projections'),
      cluster.add('webhook-consumer', { ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true' }),
    ]);
    const made = await cluster.newProject({}, api);
    projectId = made.projectId;
    project = made.clients[0] as ApiClient;
    const topicConfigs = { refused: { webhooks: { onPublish: { url: endpoint.url } } } };
    const fields = { name: 'place', topics: ['chat', 'refused'], topicConfigs };
    app = (await project.post('/apps', fields)).body;
    for (const name of rooms) await project.post(`/apps/${app.appId}/rooms`, { name });
    for (let n = 0; n < 3; n += 1) {
      const { accessToken } = (await project.post('/actors', { name: 'x', actorType: 'user' })).body;
      // Each message is sent until it is answered, and stored once: what is on the ledger is all that there is.
      const timeouts = { publishMs: 300_000 };
      const client = connect({ url: gateway.socketUrl, token: accessToken, timeouts });
      clients.push(client);
      await client.ready();
    }
  });
  // Of an attempt that failed.
  afterEach(async () => void (await Promise.all([...consumers].map((each) => end(each, 'SIGKILL')))));
  after(async () => {
    duckDb?.close();
    await Promise.all(clients.map((client) => client.close()));
    await cluster?.close();
    await engines?.close();
    await endpoint?.close();
    await folder?.remove();
  });

  const environment = (): Readonly<Record<string, string>> => ({
    ROOMWIRE_KAFKA_BROKERS: engines.kafkaBrokers,
    ROOMWIRE_ANALYTICS_DIR: folder.path,
    ROOMWIRE_LOG_LEVEL: 'warn',
    ROOMWIRE_PORT: '0',
  });
  const startConsumer = async (): Promise<Program> => {
    const program = runRoomwire(['analytics', 'run', '--flush-seconds', '1'], environment());
    consumers.add(program);
    await program.printed(/Roomwire analytics is running/);
    return program;
  };
  const end = async (program: Program, signal: NodeJS.Signals) => {
    program.process.kill('SIGCONT');
    program.process.kill(signal);
    consumers.delete(program);
    return program.ended;
  };
  const report = async (...args: string[]): Promise<any> => {
    const program = runRoomwire(
      ['analytics', 'report', '--json', '--project', projectId, ...args],
      environment(),
    );
    const { code } = await program.ended;
    if (code !== 0) throw new Error(`The report failed: ${program.stderr()}`);
    return JSON.parse(program.stdout());
  };
  /** As a report counts, without a process for each look: those would take the machine from what is tested. */
  const counted = async (): Promise<number> => {
    const streams = analyticsStreams(folder.path, false);
    const { answers } = await ask(duckDb, streams, [messageCount], { project: projectId });
    return Number(answers[0]?.rows[0]?.['messages']);
  };

  /** From every client, until it is told to stop; then it resolves when all have their answers, or rejects as one did. */
  const publishUntilStopped = (): { stop: () => Promise<void> } => {
    let isOver = false;
    const publishing = Promise.all(
      clients.map(async (client, n) => {
        while (!isOver) {
          const room = chance.oneOf(rooms);
          // A call for each message of that topic; some of them are refused.
          const topic = chance.below(40) === 0 ? 'refused' : 'chat';
          const data = { text: 'x'.repeat(chance.below(300)), n };
          await client.publish(`${app.slug}/${room}/${topic}`, data, { qos: 1 });
          ledger.add(room, topic, n, encode(data).length);
          if (chance.below(20) === 0) await pause(10);
        }
      }),
    );
    publishing.catch(() => undefined);
    return {
      stop: async () => {
        isOver = true;
        await publishing;
      },
    };
  };
  const moreThan = (count: number, what: string) =>
    eventually(async () => (await counted()) > count, { withinMs: patienceMs, what });

  /** While messages come; resolves with the two that are left. */
  const killConsumers = async (): Promise<Program[]> => {
    let consumer = await startConsumer();
    for (let kill = 0; kill < kills; kill += 1) {
      const before = kill === 0 ? 0 : await counted();
      await moreThan(before, 'more to be counted');
      await pause(chance.below(1_500));
      const next = startConsumer();
      if (kill % 2 === 1) await next;
      await end(consumer, 'SIGKILL');
      consumer = await next;
    }

    // One that is suspended while another takes its place, and then writes its pending facts.
    const before = await counted();
    await moreThan(before, 'more to be counted');
    await pause(chance.below(900));
    consumer.process.kill('SIGSTOP');
    const successor = await startConsumer();
    const atFreeze = await counted();
    await moreThan(atFreeze, 'the successor');
    consumer.process.kill('SIGCONT');
    const atReturn = await counted();
    await moreThan(atReturn + 100, 'both at work');
    return [consumer, successor];
  };

  it('counts every published message and byte, however often its consumers are killed', async () => {
    endpoint.reaction = (response, _call, count) => response.writeHead(count <= refused ? 404 : 204).end();
    const traffic = publishUntilStopped();
    // Also where it fails: what is published goes on, and is counted, in no later test.
    const left = await killConsumers().finally(() => traffic.stop());
    await moreThan(ledger.messages - 1, 'all');
    const [ofFrozen, ofSuccessor] = await Promise.all(left.map((program) => end(program, 'SIGTERM')));
    expect(ofSuccessor).to.eql({ code: 0, signal: null });
    expect(ofFrozen?.code).to.equal(0);
    expect(ledger.messages).to.be.greaterThan(1_000);

    const by = (await report('--by', 'room,topic')).by as any[];
    expect(
      by.map(({ room, topic, messages, bytes, actors }) => ({ room, topic, messages, bytes, actors })),
    ).to.have.deep.members(ledger.rows);
    const all = await report();
    expect(all.missing).to.eql({ messages: 0, 'webhook-outcomes': 0 });
    expect(all.totals[0]).to.deep.include({
      messages: ledger.messages,
      bytes: ledger.bytes,
      actors: clients.length,
    });
    const hours = all.hours as any[];
    expect(hours.reduce((sum: number, { messages }) => sum + Number(messages), 0)).to.equal(ledger.messages);
    const calls = ledger.messagesOf('refused');
    expect(all.webhooks).to.have.lengthOf(1);
    expect(all.webhooks[0]).to.deep.include({
      app_id: app.appId,
      kind: 'trigger',
      calls,
      delivered: calls - refused,
    });
  });

  it('can be read from the topics with kcat, as the document describes', async function () {
    if (spawnSync('kcat', ['-V']).error) this.skip();
    // Beside the packages that it imports.
    const workFolder = fileURLToPath(new URL('.', import.meta.url));
    const [tally = ''] = documentBlocks('docs/ANALYTICS.md', 'js');
    const tallyFile = join(workFolder, 'tally.mjs');
    await writeFile(tallyFile, tally);
    const commands = documentBlocks('docs/ANALYTICS.md', 'sh')
      .flatMap((block) => block.trimEnd().split('\n'))
      .filter((line) => line.startsWith('kcat'));
    const outputs = commands.map((command) => {
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
        cwd: workFolder,
        env: { PATH: process.env['PATH'], ROOMWIRE_KAFKA_BROKERS: engines.kafkaBrokers },
        encoding: 'utf8',
      });
      expect([command, status, stderr]).to.eql([command, 0, '']);
      return stdout;
    });
    await rm(tallyFile);
    const [byRoom = '', byTopic = '', calls = ''] = outputs;
    expect(byRoom).to.include(`${projectId}/${app.slug}/_/`);
    const lines = byTopic.split('\n').filter((line) => line.startsWith(projectId));
    expect(lines).to.have.members(
      ledger.rows.map(
        ({ room, topic, messages, bytes }) =>
          `${projectId}/${app.slug}/_/${room}/${topic} ${messages} ${bytes}`,
      ),
    );
    expect(calls).to.match(/^\d+ of \d+ calls were delivered\n$/);
  });

  it('reports whether it is ready, and what it has written', async () => {
    const opsPort = String(await freePort());
    const program = runRoomwire(['analytics', 'run', '--flush-seconds', '1'], {
      ...environment(),
      ROOMWIRE_OPS_PORT: opsPort,
    });
    consumers.add(program);
    const [, health = ''] = await program.printed(/its health is at (\S+)/);
    expect((await fetch(health)).status).to.equal(200);
    expect((await fetch(new URL('/healthz', health))).status).to.equal(200);
    const metrics = async () => (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
    const written = async (): Promise<number> =>
      Number(
        /^roomwire_analytics_facts_written_total\{stream="messages"\} (\d+)$/m.exec(await metrics())?.[1],
      );
    const [client] = clients;
    await eventually(
      async () => {
        await client?.publish(`${app.slug}/lobby/chat`, 'marker', { qos: 1 });
        return (await written()) > 0;
      },
      { withinMs: patienceMs, what: 'a fact that is written' },
    );
    const text = await metrics();
    expect(text).to.match(/^roomwire_analytics_facts_waiting\{stream="webhook-outcomes"\} 0$/m);
    expect(text).to.match(/^roomwire_analytics_write_failures_total\{stream="messages"\} 0$/m);
    expect(text).to.match(/^roomwire_bus_lag_records\{topic="messages"\} \d+$/m);
    expect(await end(program, 'SIGTERM')).to.eql({ code: 0, signal: null });
  });
});
