import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openMongoHistoryIndex } from '@roomwire/shared/adapters/history-index/mongoHistoryIndex';
import { openMongoPublishIds } from '@roomwire/shared/adapters/publish-ids/mongoPublishIds';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import type { HistoryIndex } from '@roomwire/shared/ports/historyIndex';
import type { PublishIds } from '@roomwire/shared/ports/publishIds';
import {
  appendAll,
  epoch,
  kept,
  offsetsOf,
  idAt,
} from '@roomwire/testing/contracts/history-index/keptMessages';
import { startEventStore } from '@roomwire/testing/engines/eventStore';
import { apiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster } from '../support/cluster.js';
import { documentedCommands, exportedNames, runDocumented } from '../support/documents.js';
import { readTheirWrites } from '../support/readingTheirWrites.js';

const [settings = '', backUp = '', restore = '', verify = ''] = documentedCommands('### On engines');

/** None that is archived: an archiver finds another epoch where the topic is another one. */
const noPartition = 99;

describe('a backup on engines', function () {
  this.timeout(240_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let folder: TemporaryFolder;

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    folder = await temporaryFolder();
  });
  after(async () => {
    await cluster.close();
    await engines.close();
    await folder.remove();
  });

  const documented = (commands: string, of: Cluster) =>
    runDocumented(commands, { ...of.environment, ROOMWIRE_LOG_LEVEL: 'error', BACKUPS: folder.path });
  const database = async <T>(of: Cluster, use: (client: MongoClient) => Promise<T>): Promise<T> => {
    const client = await new MongoClient(of.mongodbUrl).connect();
    return use(client).finally(() => client.close());
  };

  const publishIds = async <T>(of: Cluster, use: (ids: PublishIds) => Promise<T>): Promise<T> => {
    const ids = await openMongoPublishIds({ url: of.mongodbUrl });
    return use(ids).finally(() => ids.close());
  };

  const historyIndex = async <T>(of: Cluster, use: (index: HistoryIndex) => Promise<T>): Promise<T> => {
    const index = await openMongoHistoryIndex({ url: of.mongodbUrl });
    return use(index).finally(() => index.close());
  };

  it('restores everything onto empty engines, by the commands of the documents', async () => {
    expect(exportedNames(settings)).to.eql([
      ...['ROOMWIRE_EVENTSTORE_URL', 'ROOMWIRE_MONGODB_URL', 'ROOMWIRE_KAFKA_BROKERS', 'BACKUPS'],
    ]);
    const api = await cluster.add('command-api');
    await cluster.add('projections');
    const { apiKey, clients } = await cluster.newProject({}, api);
    const [client] = clients as [(typeof clients)[0]];
    const { appId } = (await client.post('/apps', { name: 'App' })).body;
    await client.post('/actors', {
      name: '\u2028 "odd"',
      actorType: 'user',
      metadata: { $a: { 'b.c': [1] } },
    });
    const usage = { _id: '2026-11 p', counts: { gateway: 7 } } as any;
    await database(cluster, (mongo) => mongo.db().collection('usage').insertOne(usage));
    const published = { key: 'k', digest: 'd', messageId: 'm', at: Date.now() };
    await publishIds(cluster, (ids) => ids.claim([published]).then(() => ids.sent([published])));
    const keptNow = { offset: 3, message: kept(idAt(Date.now(), 1)) };
    await historyIndex(cluster, (index) => appendAll(index, [keptNow], noPartition));
    const traffic = readTheirWrites(appId, clients);
    // As in a process of command-api, which has no address of Kafka.
    const environment = { ...cluster.environment, ROOMWIRE_KAFKA_BROKERS: '' };
    await documented(backUp, { ...cluster, environment });
    expect(await traffic.stop()).to.be.greaterThan(0);
    const actors = (await client.get('/actors')).body;
    const organizations = (await cluster.operator(api).get('/organizations')).body;
    await cluster.close();

    const eventStore = await startEventStore();
    const other = await startCluster({ ...engines, eventStoreUrl: eventStore.url });
    try {
      expect(await documented(restore, other)).to.match(/Restored 2 files/);
      // Done again, as after an interruption, it changes nothing.
      await documented(restore, other);
      await other.add('projections');
      expect(await documented(verify, other)).to.include('The read models say what the log says');
      const restored = await other.add('command-api');
      expect((await other.operator(restored).get('/organizations')).body).to.eql(organizations);
      // The credential, too, is what it was.
      const again = apiClient(restored.baseUrl, apiKey);
      const withoutUse = (records: { lastUsedAt: unknown }[]) =>
        records.map(({ lastUsedAt: _, ...record }) => record);
      expect(withoutUse((await again.get('/actors')).body)).to.eql(withoutUse(actors));
      expect((await again.post(`/apps/${appId}/rooms`, { name: 'After' })).status).to.equal(201);
      expect(await database(other, (mongo) => mongo.db().collection('usage').findOne({}))).to.eql(usage);
      const repeated = { ...published, messageId: 'another' };
      expect(await publishIds(other, (ids) => ids.claim([repeated]))).to.eql([
        { kind: 'sent', messageId: 'm', at: published.at },
      ]);
      await historyIndex(other, async (index) => {
        expect(await offsetsOf(index)).to.eql([3]);
        expect(await index.partition(noPartition)).to.eql({ epoch, next: 4 });
      });
      expect(await documented(verify, other)).to.include('The read models say what the log says');
      await database(other, (mongo) => mongo.db().collection('usage').deleteMany({}));
      // Since the room was created, the log is ahead of the backup.
      const refused = await documented(restore, other).catch((error: Error) => error.message);
      expect(refused).to.match(/not the beginning of the backup.* --only-documents/);
      expect(await database(other, (mongo) => mongo.db().collection('usage').findOne({}))).to.equal(null);
      await documented(restore.replace('roomwire restore', 'roomwire restore --only-documents'), other);
      expect(await database(other, (mongo) => mongo.db().collection('usage').findOne({}))).to.eql(usage);
    } finally {
      await other.close();
      await eventStore.close();
    }
  });

  it('is not restored onto a log that has other events, nor into files', async () => {
    const [name = ''] = await readdir(folder.path);
    const text = await readFile(join(folder.path, name, 'events.jsonl'), 'utf8');
    expect(text.split('\n').length).to.be.greaterThan(3);
    const files = { ROOMWIRE_DATA_DIR: join(folder.path, 'data'), BACKUPS: folder.path };
    const refusal = await runDocumented(restore, files).catch((error: Error) => error.message);
    expect(refusal).to.include('The backup is of another configuration');
    await rm(join(folder.path, 'data'), { recursive: true, force: true });

    const eventStore = await startEventStore();
    const other = await startCluster({ ...engines, eventStoreUrl: eventStore.url });
    try {
      const api = await other.add('command-api');
      await other.add('projections');
      await other.newProject({}, api);
      await other.close();
      const usage = { _id: '2026-11 p', counts: { gateway: 1 } } as any;
      await database(other, (mongo) => mongo.db().collection('usage').insertOne(usage));
      const log = await documented(restore, other).catch((error: Error) => error.message);
      expect(log).to.match(/The event log is not empty/);
      expect(await database(other, (mongo) => mongo.db().collection('usage').findOne({}))).to.eql(usage);
    } finally {
      await other.close();
      await eventStore.close();
    }
  });
});
