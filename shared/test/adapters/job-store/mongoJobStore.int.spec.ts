import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { jobStoreContract } from '@roomwire/testing/contracts/job-store/jobStoreContract';
import {
  allJobs,
  groupOf,
  jobsFrom,
  seqsOf,
  shard,
  takeGroup,
} from '@roomwire/testing/contracts/job-store/storedJobs';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { eventually } from '@roomwire/testing/run/eventually';
import { openMongoJobStore } from '../../../src/adapters/job-store/mongoJobStore.js';
import {
  readBackupDocuments,
  writeBackupDocuments,
} from '../../../src/adapters/view-store/mongo/backupCollections.js';
import { StaleTerm, type JobStore, type NewJob } from '../../../src/ports/jobStore.js';
import { linkTo } from '../view-store/mongoLink.js';
import { mongoUrl, testDatabase, type TestDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  jobStoreContract('MongoDB', async () => {
    const database = testDatabase();
    const beside = () => openMongoJobStore({ url: database.url, database: database.name });
    return { ...(await reopenable(beside, () => database.drop())), beside };
  });

  describe('the job store on MongoDB', () => {
    let database: TestDatabase;
    let store: JobStore;

    beforeEach(async () => {
      database = testDatabase();
      store = await openMongoJobStore({ url: database.url, database: database.name });
    });
    afterEach(async () => {
      await store.close();
      await database.drop();
    });

    const seqs = (first: number, last: number) => jobsFrom(first, last).map(({ seq }) => seq);

    const namedJobs = (first: number, last: number): readonly NewJob[] =>
      jobsFrom(first, last, 1_000).map((job) => ({ ...job, id: String(job.seq) }));

    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8])
      it(`completes for the next owner what the last one was killed over (seed ${seed})`, async () => {
        const chance = seededChance(seed);
        const link = await linkTo(database.url);
        const killed = await openMongoJobStore({ url: link.url, database: database.name });
        await killed.take(shard, 1);
        await killed.write(groupOf('g'), 1);
        await killed.commit(shard, 1, [{ groupId: 'g', add: jobsFrom(1, 900), collected: 900 }]);
        const changes = {
          ...{ groupId: 'g', add: jobsFrom(901, 901 + chance.below(700), 40), collected: 2_000 },
          settled: seqs(1, 1_100).filter(() => chance.below(3) > 0),
          changed: [{ seq: 5, deliveries: 1, counted: 1, dueAt: 0 }],
        };
        const frozen = link.freezeAfter(1 + chance.below(70_000));
        const committed = killed.commit(shard, 1, [changes]).catch(() => undefined);
        await Promise.race([frozen, committed]);
        await link.cut();

        const group = await takeGroup(store, 2, 'g');
        const found = await allJobs(store, 'g');
        expect(group).to.include({
          depth: found.length,
          bytes: found.reduce((sum, { message }) => sum + message.length, 0),
        });
        const there = new Set(found.map(({ seq }) => seq));
        const isAdded = group?.collected === 2_000;
        const end = isAdded ? (changes.add.at(-1)?.seq ?? 0) : 900;
        expect(group?.lastSeq).to.equal(end);
        const expected = seqs(1, end).filter((seq) => !changes.settled.includes(seq));
        expect([...there]).to.include.members(expected);
        expect(seqs(1, end)).to.include.members([...there]);

        // Once more, by whoever owns it now.
        await store.commit(shard, 2, [changes]);
        const left = seqs(1, changes.add.at(-1)?.seq ?? 0).filter((seq) => !changes.settled.includes(seq));
        expect(await seqsOf(store, 'g')).to.eql(left);
        expect(await takeGroup(store, 3, 'g')).to.include({ depth: left.length });
        await killed.close();
        await link.close();
      });

    it('[WS-JOB-8] refuses what an owner has not written of a commit when the next one looks', async () => {
      const link = await linkTo(database.url);
      const former = await openMongoJobStore({ url: link.url, database: database.name });
      await former.take(shard, 1);
      await former.write(groupOf('g'), 1);
      await former.commit(shard, 1, [{ groupId: 'g', add: jobsFrom(1, 600) }]);
      const frozen = link.freezeBefore('jobBuckets');
      const refused = former
        .commit(shard, 1, [{ groupId: 'g', settled: [5, 6] }])
        .catch((error: unknown) => error);
      await frozen;
      expect(await takeGroup(store, 2, 'g')).to.include({ depth: 600 });
      link.thaw();
      expect(await refused).to.be.instanceOf(StaleTerm);
      expect(await takeGroup(store, 3, 'g')).to.include({ depth: 600 });
      expect(await seqsOf(store, 'g')).to.eql(seqs(1, 600));
      await former.close();
      await link.close();
    });

    it('leaves nothing of a group that is removed', async () => {
      await store.take(shard, 1);
      await store.write(groupOf('g'), 1);
      await store.commit(shard, 1, [{ groupId: 'g', add: namedJobs(1, 900) }]);
      await store.remove('g', 1);
      const client = await new MongoClient(database.url).connect();
      try {
        const count = async (): Promise<number> => {
          const names = ['jobGroups', 'jobBuckets', 'jobChunks', 'jobIds'];
          const of = (name: string) => client.db(database.name).collection(name).countDocuments();
          return (await Promise.all(names.map(of))).reduce((sum, each) => sum + each, 0);
        };
        await eventually(async () => (await count()) === 0);
      } finally {
        await client.close();
      }
    });

    it('keeps no ids of jobs that are long past, also where those behind them had none', async () => {
      await store.take(shard, 1);
      await store.write(groupOf('g'), 1);
      const commit = (add: readonly NewJob[]): Promise<void> =>
        store.commit(shard, 1, [{ groupId: 'g', add, settled: add.map(({ seq }) => seq) }]);
      await commit(namedJobs(1, 600));
      await commit(jobsFrom(60_000, 60_000));
      await commit(namedJobs(60_001, 60_001));
      const client = await new MongoClient(database.url).connect();
      expect(await client.db(database.name).collection('jobIds').countDocuments()).to.equal(1);
      await client.close();
    });

    it('is in a backup that is made meanwhile, and counts what was restored', async () => {
      await store.take(shard, 41);
      await store.write(groupOf('g'), 41);
      await store.commit(shard, 41, [{ groupId: 'g', add: namedJobs(1, 600) }]);
      const lines: string[] = [];
      const address = { url: database.url, database: database.name };
      await readBackupDocuments(address, async (some) => {
        lines.push(...some);
        // Between two of its collections.
        if (some.some((line) => line.includes('"jobGroups"')))
          await store.commit(shard, 41, [{ groupId: 'g', add: jobsFrom(601, 1_200), settled: seqs(1, 300) }]);
      });
      const other = testDatabase();
      const of = async function* (): AsyncGenerator<string> {
        yield* lines;
      };
      await writeBackupDocuments({ url: other.url, database: other.name }, of());
      const restored = await openMongoJobStore({ url: other.url, database: other.name });
      expect(await takeGroup(restored, 1, 'g')).to.include({ depth: 300, lastSeq: 600 });
      expect(await seqsOf(restored, 'g')).to.eql(seqs(301, 600));
      expect(await restored.recentIds('g', 0)).to.have.members(seqs(1, 600).map(String));
      await restored.close();
      await other.drop();
    });

    it('[WS-JOB-4] keeps a shard whose owner says something of a group that is being removed', async () => {
      await store.take(shard, 1);
      await store.write(groupOf('g'), 1);
      await store.write(groupOf('h'), 1);
      const client = await new MongoClient(database.url).connect();
      // As where it has many jobs, which go before it.
      const groups = client.db(database.name).collection<{ readonly _id: string }>('jobGroups');
      await groups.updateOne({ _id: 'g' }, { $set: { isRemoved: true } });
      await client.close();
      await store.write(groupOf('g'), 1);
      await store.describe(groupOf('g'), 1);
      expect(await store.group('g')).to.equal(undefined);
      await store.commit(shard, 1, [{ groupId: 'h', add: jobsFrom(1, 3) }]);
      expect(await seqsOf(store, 'h')).to.eql([1, 2, 3]);
    });
  });
});
