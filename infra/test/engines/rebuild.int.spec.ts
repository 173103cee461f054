import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { MongoClient, type Db } from 'mongodb';
import { viewsVersion } from '@roomwire/shared/wire/views/views';
import { eventually } from '@roomwire/testing/run/eventually';
import { seededChance } from '@roomwire/testing/run/seededChance';
import type { ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';
import { runRoomwire, type Program } from '../support/program.js';
import { readTheirWrites } from '../support/readingTheirWrites.js';

const seed = 20_261_122;

describe(`roomwire projections rebuild, on engines (seed ${seed})`, function () {
  this.timeout(240_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let client: MongoClient;
  let database: Db;
  let apis: Member[];
  let clients: ApiClient[];
  let appId: string;
  const chance = seededChance(seed);

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    client = await new MongoClient(cluster.mongodbUrl).connect();
    database = client.db();
    apis = [await cluster.add('command-api'), await cluster.add('command-api')];
    await cluster.add('projections');
    await cluster.add('projections');
    ({ clients } = await cluster.newProject({}, ...apis));
    ({ appId } = (await (clients[0] as ApiClient).post('/apps', { name: 'App' })).body);
    for (let n = 0; n < 60; n += 1)
      await (clients[n % 2] as ApiClient).post(`/apps/${appId}/rooms`, { name: `Room ${n}` });
  });
  after(async () => {
    await client?.close();
    await cluster?.close();
    await engines?.close();
  });

  const roomwire = (...args: string[]): Program =>
    runRoomwire(args, { ...cluster.environment, ROOMWIRE_LOG_LEVEL: 'error' });
  const ended = async (program: Program) => ({
    code: (await program.ended).code,
    stdout: program.stdout(),
    stderr: program.stderr(),
  });
  const progress = () => database.collection(`v${viewsVersion}_progress`).findOne({});
  const liveRooms = async () => {
    const generation = (await progress())?.['generation'] ?? 0;
    return database.collection(`v${viewsVersion}_${generation === 0 ? '' : `g${generation}_`}rooms`);
  };
  /** As no event says, in the documents that are read. */
  const plant = async (): Promise<string> => {
    const rooms = await liveRooms();
    const [room] = await rooms.find({ slug: /^room-/ }, { limit: 1 }).toArray();
    await rooms.updateOne({ _id: room?._id as any }, { $set: { name: 'Planted' } });
    return String(room?._id);
  };
  const generations = async (): Promise<number[]> => {
    const names = (await database.listCollections().toArray()).map(({ name }) => name);
    const found = names.map((name) => new RegExp(`^v${viewsVersion}_(?:g(\\d+)_)?rooms$`).exec(name));
    return found.flatMap((match) => (match ? [Number(match[1] ?? 0)] : [])).sort((a, b) => a - b);
  };

  it('repairs differences, which `audit verify` finds before and not afterwards', async () => {
    const roomId = await plant();
    const before = await ended(roomwire('audit', 'verify'));
    expect(before.code).to.equal(1);
    expect(before.stdout).to.match(
      new RegExp(`^rooms ${roomId}: /name is "Planted", by the log "Room \\d+"\n$`),
    );
    const { code, stdout, stderr } = await ended(roomwire('projections', 'rebuild'));
    expect({ code, stderr }).to.eql({ code: 0, stderr: '' });
    expect(stdout).to.match(/^Rebuilt the read models from \d+ events in [\d.]+ s\n$/);
    expect(await ended(roomwire('audit', 'verify'))).to.include({ code: 0, stderr: '' });
    // Other processes hear of it within seconds.
    for (const each of clients)
      await eventually(
        async () => /^Room \d+$/.test((await each.get(`/apps/${appId}/rooms/${roomId}`)).body.name),
        { withinMs: 30_000, what: 'the rebuilt room' },
      );
  });

  it('loses nothing that is written and read meanwhile, however often it is killed', async () => {
    const roomId = await plant();
    const traffic = readTheirWrites(appId, clients);
    let kills = 0;
    for (let round = 0; round < 6; round += 1) {
      const command = roomwire('projections', 'rebuild');
      await pause(200 + chance.below(1_800));
      if (command.process.kill('SIGKILL')) kills += 1;
      await command.ended;
    }
    expect(await ended(roomwire('projections', 'rebuild'))).to.include({ code: 0, stderr: '' });
    expect(await traffic.stop()).to.be.greaterThan(50);
    expect(kills).to.be.greaterThan(0);
    expect(await ended(roomwire('audit', 'verify'))).to.include({ code: 0, stderr: '' });
    expect((await (await liveRooms()).findOne({ _id: roomId as any }))?.['name']).to.match(/^Room/);

    // The generations of killed rebuilds are deleted, except one that readers may still use.
    const { generation, building, hold } = (await progress()) as any;
    expect([building, hold]).to.eql([undefined, undefined]);
    // It goes between two looks, where its time is over.
    await eventually(async () => {
      const retiring: number | undefined = (await progress())?.['retiring'];
      const expected = retiring === undefined ? [generation] : [retiring, generation];
      return isDeepStrictEqual(await generations(), expected);
    });
  });

  it('lets the later of two concurrent rebuilds win', async () => {
    const both = await Promise.all([
      ended(roomwire('projections', 'rebuild')),
      ended(roomwire('projections', 'rebuild')),
    ]);
    const losers = both.filter(({ code }) => code !== 0);
    expect(losers.length).to.be.at.most(1);
    for (const { stderr } of losers)
      expect(stderr).to.equal(
        'Another rebuild of the read models has begun; the read models are unchanged\n',
      );
    expect(await ended(roomwire('audit', 'verify'))).to.include({ code: 0, stderr: '' });
  });
});
