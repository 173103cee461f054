import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { StaleTerm, type JobStore } from '@roomwire/shared/ports/jobStore';
import type { JobsUnderTest } from './jobsUnderTest.js';
import { jobStoreProperty } from './property.js';
import { allJobs, groupOf, jobOf, jobsFrom, plain, seqsOf, shard, takeGroup } from './storedJobs.js';

/** What every store of jobs promises. */
export const jobStoreContract = (name: string, open: () => Promise<JobsUnderTest>): void => {
  describe(`the job store on ${name}`, () => {
    let underTest: JobsUnderTest;
    let store: JobStore;

    beforeEach(async () => {
      underTest = await open();
      ({ store } = underTest);
    });

    afterEach(() => underTest.dispose());

    const reopen = async (): Promise<void> => void (store = await underTest.reopen());

    /** A group that is written by the owner of term 1. */
    const begun = async (groupId = 'g'): Promise<void> => {
      await store.take(shard, 1);
      await store.write(groupOf(groupId), 1);
    };

    const refusal = (call: Promise<unknown>): Promise<unknown> =>
      call.then(
        () => undefined,
        (error: unknown) => error,
      );

    it('has nothing that was not written', async () => {
      expect(await store.take(shard, 1)).to.eql({ groups: [], positions: new Map() });
      await store.commit(shard, 1, [{ groupId: 'other', add: [jobOf(1)], settled: [1] }]);
      expect(await allJobs(store, 'other')).to.eql([]);
      expect(await store.get('other', [1])).to.eql([]);
      await store.remove('other', 1);
      expect(await store.removeOf(['project'])).to.eql([]);
      expect(await store.take(shard, 2)).to.eql({ groups: [], positions: new Map() });
    });

    it('returns groups as they were written last, by shard', async () => {
      const first = groupOf('first');
      const scoped = groupOf('ü', {
        owners: { ...first.owners, accessScopeId: 'scope' },
        isPermanent: true,
        emptiedAt: 5,
      });
      await store.take(shard, 3);
      await store.take(shard + 1, 4);
      await store.write(first, 3);
      await store.write(scoped, 3);
      await store.write(groupOf('elsewhere', { shard: shard + 1 }), 4);
      await store.write({ ...first, options: { ...first.options, prefetch: 9 }, emptiedAt: 8 }, 3);
      await reopen();
      const { groups } = await store.take(shard, 5);
      const counts = { depth: 0, bytes: 0, lastSeq: 0, collected: -1 };
      expect([...groups].sort((one, other) => (one.groupId < other.groupId ? -1 : 1))).to.eql([
        { ...first, options: { ...first.options, prefetch: 9 }, emptiedAt: 8, ...counts },
        { ...scoped, ...counts },
      ]);
    });

    it('returns jobs byte for byte and in order, with what is known of them', async () => {
      await begun();
      await store.commit(shard, 1, [{ groupId: 'g', add: jobsFrom(1, 700) }]);
      const changed = { seq: 300, deliveries: 3, counted: 2, dueAt: 1_700_000_000_123 };
      await store.commit(shard, 1, [{ groupId: 'g', add: [jobOf(701, 0)], changed: [changed] }]);
      await reopen();
      await store.take(shard, 2);
      const expected = plain([...jobsFrom(1, 700), jobOf(701, 0)]).map((job) =>
        job.seq === 300 ? { ...job, ...changed } : job,
      );
      expect(await allJobs(store, 'g')).to.eql(expected);
      expect(plain(await store.get('g', [701, 300, 2, 999, 300]))).to.eql(
        expected.filter(({ seq }) => [2, 300, 701].includes(seq)),
      );
    });

    it('counts jobs and bytes, and keeps the highest number', async () => {
      await begun();
      await store.commit(shard, 1, [{ groupId: 'g', add: jobsFrom(1, 600, 20), collected: 77 }]);
      await store.commit(shard, 1, [{ groupId: 'g', settled: [1, 2, 600, 600, 900] }]);
      const { depth, bytes, lastSeq, collected } = (await takeGroup(store, 2, 'g'))!;
      expect({ depth, bytes, lastSeq, collected }).to.eql({
        ...{ depth: 597, bytes: 597 * 20, lastSeq: 600, collected: 77 },
      });
      const settled = Array.from({ length: 600 }, (_, n) => n + 1);
      await store.commit(shard, 2, [{ groupId: 'g', settled }]);
      await reopen();
      expect(await takeGroup(store, 3, 'g')).to.include({ depth: 0, bytes: 0, lastSeq: 600, collected: 77 });
      expect(await allJobs(store, 'g')).to.eql([]);
    });

    it('passes over what it has: the same commit once more changes nothing', async () => {
      await begun();
      const changes = [
        { groupId: 'g', add: jobsFrom(1, 300), settled: [5, 280], collected: 4 },
        { groupId: 'gone', add: jobsFrom(1, 3) },
      ];
      for (let time = 0; time < 3; time += 1) await store.commit(shard, 1, changes);
      expect(await takeGroup(store, 2, 'g')).to.include({ depth: 298, bytes: 2_980, lastSeq: 300 });
      expect(await seqsOf(store, 'g'))
        .to.have.length(298)
        .and.not.include.members([5, 280]);
    });

    it('keeps nothing of a job that is added and settled at once, but its number', async () => {
      await begun();
      await store.commit(shard, 1, [{ groupId: 'g', add: jobsFrom(1, 3), settled: [1, 2, 3] }]);
      expect(await takeGroup(store, 2, 'g')).to.include({ depth: 0, bytes: 0, lastSeq: 3 });
      await store.commit(shard, 2, [{ groupId: 'g', add: [jobOf(2), jobOf(3), jobOf(1_000)] }]);
      expect(await seqsOf(store, 'g')).to.eql([1_000]);
    });

    it('[WS-ONCE-4] knows the ids that came with jobs, whatever has become of them, for the next owner', async () => {
      await begun();
      const named = (seq: number) => ({ ...jobOf(seq), id: `id ${seq}` });
      const add = [named(1), named(2), jobOf(3)];
      await store.commit(shard, 1, [{ groupId: 'g', add, settled: [2] }]);
      await store.commit(shard, 1, [{ groupId: 'g', add, settled: [1, 3] }]);
      await store.commit(shard, 1, [{ groupId: 'g', add: [named(600), named(601)] }]);
      await store.commit(shard, 1, [{ groupId: 'g', settled: [600] }]);
      await reopen();
      await store.take(shard, 2);
      const everything = ['id 1', 'id 2', 'id 600', 'id 601'];
      expect(await store.recentIds('g', 0)).to.have.members(everything);
      await store.commit(shard, 2, [{ groupId: 'g', add: [named(602)] }]);
      expect(await store.recentIds('g', 0)).to.have.members([...everything, 'id 602']);
      expect(await store.recentIds('g', named(602).addedAt)).to.include('id 602');
      expect(await store.recentIds('g', named(602).addedAt + 1)).to.eql([]);
      expect(await store.recentIds('other', 0)).to.eql([]);
      await store.remove('g', 2);
      expect(await store.recentIds('g', 0)).to.eql([]);
    });

    it('[WS-ONCE-4] knows those of the last 50,000 jobs alone, also where most have none', async () => {
      await begun();
      const commit = (seq: number, id?: string): Promise<void> =>
        store.commit(shard, 1, [
          { groupId: 'g', add: [{ ...jobOf(seq), ...(id !== undefined && { id }) }], settled: [seq] },
        ]);
      await commit(1, 'first');
      await commit(1_000, 'second');
      await commit(60_000);
      await commit(60_001, 'last');
      expect(await store.recentIds('g', 0)).to.eql(['last']);
    });

    it('[WS-ONCE-4] knows those of the last 50,000 jobs', async () => {
      await begun();
      const id = (seq: number): string => `id ${seq}`;
      for (let first = 1; first < 60_000; first += 2_000) {
        const add = jobsFrom(first, first + 1_999, 1).map((job) => ({ ...job, id: id(job.seq) }));
        await store.commit(shard, 1, [{ groupId: 'g', add, settled: add.map(({ seq }) => seq) }]);
      }
      const found = new Set(await store.recentIds('g', 0));
      expect(found.size).to.be.within(50_000, 52_000);
      for (let seq = 10_001; seq <= 60_000; seq += 1) if (!found.has(id(seq))) expect.fail(`no ${id(seq)}`);
    });

    it('changes what waits alone', async () => {
      await begun();
      const change = (seq: number, deliveries: number) => ({ seq, deliveries, counted: 1, dueAt: 0 });
      await store.commit(shard, 1, [
        { groupId: 'g', add: jobsFrom(1, 2), changed: [change(1, 1), change(9, 1)] },
      ]);
      await store.commit(shard, 1, [{ groupId: 'g', changed: [change(1, 2), change(2, 1)], settled: [2] }]);
      expect((await allJobs(store, 'g')).map(({ seq, deliveries }) => [seq, deliveries])).to.eql([[1, 2]]);
    });

    it('pages by number of jobs and by bytes, and gives one that is larger alone', async () => {
      await begun();
      await store.commit(shard, 1, [
        { groupId: 'g', add: [jobOf(1, 300_000), ...jobsFrom(2, 6, 100_000), jobOf(7, 200_000)] },
      ]);
      const pages = async (bounds: { readonly jobs: number; readonly bytes: number }) => {
        const found: number[][] = [];
        for (let after = 0; ;) {
          const page = await store.page('g', { after, ...bounds });
          if (page.length === 0) return found;
          found.push(page.map(({ seq }) => seq));
          after = page.at(-1)!.seq;
        }
      };
      expect(await pages({ jobs: 3, bytes: 10_000_000 })).to.eql([[1, 2, 3], [4, 5, 6], [7]]);
      expect(await pages({ jobs: 100, bytes: 250_000 })).to.eql([[1], [2, 3], [4, 5], [6], [7]]);
    });

    it('moves reading positions, each by itself', async () => {
      await store.take(shard, 1);
      await store.commit(shard, 1, [], new Map([...[[0, 5] as const], [3, 8]]));
      await store.commit(shard, 1, [], new Map([[3, 9]]));
      await reopen();
      const { positions } = await store.take(shard, 2);
      expect([...positions].sort(([one], [other]) => one - other)).to.eql([
        [0, 5],
        [3, 9],
      ]);
    });

    it('refuses whatever comes with an earlier term, and leaves everything as it is', async () => {
      await begun();
      await store.commit(shard, 1, [{ groupId: 'g', add: jobsFrom(1, 3) }]);
      await store.take(shard, 2);
      const named = { ...jobOf(4), id: 'late' };
      const late = [
        () => store.commit(shard, 1, [{ groupId: 'g', add: [named] }]),
        () => store.commit(shard, 1, [{ groupId: 'g', add: [jobOf(4)], settled: [1], collected: 9 }]),
        () => store.commit(shard, 1, [], new Map([[0, 9]])),
        () => store.write(groupOf('g', { isPermanent: true }), 1),
        () => store.write(groupOf('late'), 1),
        () => store.describe(groupOf('g', { isPermanent: true }), 1),
        () => store.remove('g', 1),
        () => store.take(shard, 1),
      ];
      for (const call of late) expect(await refusal(call())).to.be.instanceOf(StaleTerm);
      const { groups, positions } = await store.take(shard, 3);
      const counts = { depth: 3, bytes: 30, lastSeq: 3, collected: -1 };
      expect(groups).to.eql([{ ...groupOf('g'), ...counts }]);
      expect(positions).to.eql(new Map());
      expect(await store.recentIds('g', 0)).to.eql([]);
      expect(await seqsOf(store, 'g')).to.eql([1, 2, 3]);
    });

    it('lets the owner of another shard go on', async () => {
      await store.take(shard, 1);
      await store.take(shard + 1, 1);
      await store.write(groupOf('other', { shard: shard + 1 }), 1);
      await store.take(shard, 2);
      await store.commit(shard + 1, 1, [{ groupId: 'other', add: [jobOf(1)] }]);
      expect(await seqsOf(store, 'other')).to.eql([1]);
    });

    it('finds groups by their topic and name, by their ids and by what they belong to', async () => {
      await begun();
      const scoped = groupOf('scoped', {
        ...{ topic: 'p/a/s/r/work', name: 'g' },
        owners: { ...groupOf('g').owners, accessScopeId: 'scope' },
      });
      await store.write(scoped, 1);
      await store.commit(shard, 1, [{ groupId: 'scoped', add: jobsFrom(1, 3), collected: 2 }]);
      const stored = { ...scoped, depth: 3, bytes: 30, lastSeq: 3, collected: 2 };
      expect(await store.find(scoped.topic, 'g')).to.eql(stored);
      expect(await store.find(scoped.topic, 'another')).to.equal(undefined);
      expect(await store.group('scoped')).to.eql(stored);
      expect(await store.groupsOf('scope')).to.eql([stored]);
      expect((await store.groupsOf('room')).map(({ groupId }) => groupId)).to.have.members(['g', 'scoped']);
      await store.remove('scoped', 1);
      expect([await store.find(scoped.topic, 'g'), await store.group('scoped')]).to.eql([
        undefined,
        undefined,
      ]);
      expect(await store.groupsOf('scope')).to.eql([]);
      expect(await store.find(groupOf('g').topic, 'g')).to.include({ groupId: 'g' });
    });

    it('removes a group with its jobs, and does not mistake a new one of its name for it', async () => {
      await begun();
      await begun('stays');
      await store.commit(
        shard,
        1,
        ['g', 'stays'].map((groupId) => ({ groupId, add: jobsFrom(1, 600) })),
      );
      await store.remove('g', 1);
      expect(await allJobs(store, 'g')).to.eql([]);
      await store.commit(shard, 1, [{ groupId: 'g', add: [jobOf(601)] }]);
      await store.write(groupOf('again', { name: 'g' }), 1);
      await store.commit(shard, 1, [{ groupId: 'again', add: [jobOf(300)], settled: [1] }]);
      expect(await store.find(groupOf('g').topic, 'g')).to.include({ groupId: 'again' });
      await reopen();
      expect(await takeGroup(store, 2, 'again')).to.include({ depth: 1, lastSeq: 300 });
      expect(await seqsOf(store, 'again')).to.eql([300]);
      expect(await seqsOf(store, 'stays')).to.have.length(600);
      expect(await store.group('g')).to.equal(undefined);
    });

    it('[WS-JOB-12] replaces what is said of a group that is there, and makes none anew that is gone', async () => {
      await begun();
      await begun('gone');
      await store.commit(shard, 1, [{ groupId: 'g', add: jobsFrom(1, 3) }]);
      await store.remove('gone', 1);
      for (const groupId of ['g', 'gone', 'never'])
        await store.describe(groupOf(groupId, { isPermanent: true }), 1);
      await reopen();
      const { groups } = await store.take(shard, 2);
      expect(groups.map(({ groupId, isPermanent, depth }) => ({ groupId, isPermanent, depth }))).to.eql([
        { groupId: 'g', isPermanent: true, depth: 3 },
      ]);
      expect(await store.group('gone')).to.equal(undefined);
    });

    it('keeps nothing in memory of a shard that was released, but of one that was taken again', async () => {
      const other = await underTest.beside();
      await begun();
      await store.commit(shard, 1, [{ groupId: 'g', add: jobsFrom(1, 3) }]);
      await store.release(shard, 1);
      await other.take(shard, 2);
      await other.commit(shard, 2, [{ groupId: 'g', settled: [1] }]);
      expect(await seqsOf(store, 'g')).to.eql([2, 3]);
      await other.commit(shard, 2, [{ groupId: 'g', settled: [2] }]);
      expect(await seqsOf(store, 'g')).to.eql([3]);
      await store.take(shard, 3);
      await store.release(shard, 1);
      await store.commit(shard, 3, [{ groupId: 'g', settled: [3] }]);
      expect(await seqsOf(store, 'g')).to.eql([]);
      await other.close();
    });

    it('removes the groups of a project, an app, a room and a scope, whoever owns them', async () => {
      const { owners } = groupOf('g');
      const others = [
        groupOf('p2', { owners: { ...owners, projectId: 'p2' } }),
        groupOf('a2', { owners: { ...owners, projectId: 'p3', appId: 'a2' } }),
        groupOf('r2', { owners: { ...owners, projectId: 'p3', appId: 'a3', roomId: 'r2' } }),
        groupOf('s2', {
          owners: { projectId: 'p3', appId: 'a3', roomId: 'r3', accessScopeId: 's2' },
          shard: shard + 1,
        }),
      ];
      await begun();
      await store.take(shard + 1, 1);
      for (const group of others) await store.write(group, 1);
      await store.commit(shard, 1, [{ groupId: 'p2', add: jobsFrom(1, 300) }]);
      expect(await store.removeOf(['p2', 'a2', 'nobody'])).to.have.members(['p2', 'a2']);
      expect(await store.removeOf(['r2', 's2'])).to.have.members(['r2', 's2']);
      expect(await allJobs(store, 'p2')).to.eql([]);
      await store.commit(shard, 1, [{ groupId: 'p2', add: [jobOf(301)] }]);
      expect((await store.take(shard, 2)).groups.map(({ groupId }) => groupId)).to.eql(['g']);
      expect((await store.take(shard + 1, 2)).groups).to.eql([]);
    });

    it('keeps how far deletions were followed', async () => {
      expect([await store.checkpoint(), await store.origin()]).to.eql([undefined, undefined]);
      const origin = { log: 'log', position: '7', event: 'event' };
      await store.moveCheckpoint('7', origin);
      await reopen();
      expect([await store.checkpoint(), await store.origin()]).to.eql(['7', origin]);
      await store.moveCheckpoint(undefined);
      expect([await store.checkpoint(), await store.origin()]).to.eql([undefined, undefined]);
    });

    it('waits for what is under way when it is closed, and refuses everything from then on', async () => {
      await begun();
      const committed = store.commit(shard, 1, [{ groupId: 'g', add: jobsFrom(1, 50) }]);
      await Promise.all([store.close(), store.close()]);
      await committed;
      const calls = [
        () => store.take(shard, 2),
        () => store.write(groupOf('g'), 1),
        () => store.commit(shard, 1, []),
        () => store.page('g', { after: 0, jobs: 1, bytes: 1 }),
        () => store.get('g', [1]),
        () => store.remove('g', 1),
        () => store.removeOf(['project']),
        () => store.checkpoint(),
      ];
      for (const call of calls) expect(await refusal(call())).to.be.instanceOf(EngineUnavailable);
      await reopen();
      await store.take(shard, 2);
      expect(await seqsOf(store, 'g')).to.have.length(50);
    });

    jobStoreProperty(open);
  });
};
