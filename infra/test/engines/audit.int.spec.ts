import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { MongoClient, type Db } from 'mongodb';
import { openEventStoreDbLog } from '@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog';
import { withoutProof } from '@roomwire/shared/credentials/eventProof';
import { viewsVersion } from '@roomwire/shared/wire/views/views';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import type { ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster } from '../support/cluster.js';
import { runRoomwire } from '../support/program.js';
import { readTheirWrites } from '../support/readingTheirWrites.js';

describe('roomwire audit, on engines', function () {
  this.timeout(180_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let folder: TemporaryFolder;
  let client: MongoClient;
  let database: Db;
  let clients: ApiClient[];
  let appId: string;

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    folder = await temporaryFolder();
    client = await new MongoClient(cluster.mongodbUrl).connect();
    database = client.db();
    const api = await cluster.add('command-api');
    await cluster.add('projections');
    ({ clients } = await cluster.newProject({}, api));
    ({ appId } = (await project().post('/apps', { name: 'App' })).body);
    for (let n = 0; n < 20; n += 1) await project().post(`/apps/${appId}/rooms`, { name: `Room ${n}` });
  });
  after(async () => {
    await client.close();
    await cluster.close();
    await engines.close();
    await folder.remove();
  });

  const project = (): ApiClient => clients[0] as ApiClient;
  const audit = async (...args: string[]) => {
    const program = runRoomwire(['audit', ...args], { ...cluster.environment, ROOMWIRE_LOG_LEVEL: 'error' });
    const { code } = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };
  const rooms = () => database.collection(`v${viewsVersion}_rooms`);

  it('verify finds no difference in what the projections wrote, also while they write', async () => {
    expect(await audit('verify')).to.include({ code: 0, stderr: '' });
    const traffic = readTheirWrites(appId, clients);
    for (let round = 0; round < 3; round += 1)
      expect(await audit('verify')).to.include({ code: 0, stderr: '' });
    expect(await traffic.stop()).to.be.greaterThan(20);
  });

  it('verify finds the planted differences, and no others', async () => {
    const [changed, removed] = await rooms()
      .find({ slug: /^room-\d/ })
      .sort({ slug: 1 })
      .limit(2)
      .toArray();
    await rooms().updateOne({ _id: changed?._id as any }, { $set: { name: 'Planted' } });
    await rooms().deleteOne({ _id: removed?._id as any });
    await rooms().insertOne({ ...removed, _id: 'planted', roomId: 'planted' } as any);
    const { code, stdout, stderr } = await audit('verify');
    expect(code).to.equal(1);
    expect(stdout.trimEnd().split('\n')).to.have.members([
      `rooms ${String(changed?._id)}: /name is "Planted", by the log "${changed?.['name']}"`,
      `rooms ${String(removed?._id)} is not in the read models`,
      'rooms planted is in the read models and not in the log',
    ]);
    expect(stderr).to.match(/^3 differences in \d+ records of \d+ events\n$/);
    await rooms().deleteOne({ _id: 'planted' as any });
    await rooms().insertOne(removed as any);
    await rooms().updateOne({ _id: changed?._id as any }, { $set: { name: changed?.['name'] } });
    expect(await audit('verify')).to.include({ code: 0, stderr: '' });
  });

  for (const format of ['jsonl', 'csv'])
    it(`export writes the history as ${format}, and verify --export checks it against the log`, async () => {
      const file = join(folder.path, `history.${format}`);
      expect(await audit('export', '--format', format, '--output', file)).to.include({ code: 0, stdout: '' });
      const text = await readFile(file, 'utf8');
      expect(text)
        .to.include('RoomCreated')
        .and.not.match(/secretHash|sealedSecret/);
      expect(await audit('verify', '--export', file)).to.include({ code: 0, stderr: '' });
      await writeFile(file, text.replace('Room 7', 'Moor 7'));
      const { code, stderr } = await audit('verify', '--export', file);
      expect([code, /the chain is broken at line \d+/.test(stderr)]).to.eql([1, true]);
    });

  it('verify finds an event that another program has appended', async () => {
    const whole = await audit('verify');
    expect(whole.stdout).to.match(/^The chains are whole: /);
    const log = await openEventStoreDbLog({ url: engines.eventStoreUrl });
    const stream = `rooms-${appId}`;
    const last = await log.readLast(stream);
    await log.append(stream, last!.revision, [
      { ...last!, id: randomUUID(), metadata: withoutProof(last!.metadata) },
    ]);
    await log.close();
    const { code, stdout } = await audit('verify');
    expect([code, stdout]).to.eql([
      1,
      `Event ${last!.revision + 1} of ${stream}, ${last!.type}, has no proof, though the event before it has one\n`,
    ]);
  });
});
