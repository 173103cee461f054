import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedJobStore } from '@roomwire/shared/adapters/job-store/embeddedJobStore';
import type { JobGroupRecord, JobStore } from '@roomwire/shared/ports/jobStore';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { groupOf, seqsOf, shard } from '@roomwire/testing/contracts/job-store/storedJobs';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { Gathering } from '../../../src/jobs/owner/gathering.js';
import { OwnedGroup, type OwnedGroupDeps } from '../../../src/jobs/owner/ownedGroup.js';
import { TakenMessages } from '../../../src/jobs/owner/takenMessages.js';
import type { JobMember } from '../../../src/jobs/queue/job.js';
import { createJobCounts } from '../../../src/jobs/queue/jobCounts.js';
import { ShiftedClock } from '../../support/shiftedClock.js';

const keptMs = limitTable.emptyJobGroupMs.value;
const term = 1;
const groupId = 'g';
/** Longer than any test. */
const longMs = 3_600_000;

let messages = 0;
const message = (fields: Partial<LiveMessage>): LiveMessage =>
  liveMessage({ id: `message ${++messages}`, ...fields });

describe('a group with jobs, at its bounds', () => {
  let folder: TemporaryFolder;
  let store: JobStore;
  let clock: ShiftedClock;
  let reached: string[];
  let dead: number[];

  beforeEach(async () => {
    folder = await temporaryFolder();
    store = await openEmbeddedJobStore({ file: (name) => join(folder.path, name) });
    await store.take(shard, term);
    clock = new ShiftedClock();
    reached = [];
    dead = [];
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  const open = async (
    fields: Partial<JobGroupRecord> = {},
    bounds = { jobs: 1_000, bytes: 1_000_000 },
    gathered: OwnedGroupDeps['gathered'] = { isOver: true, isComplete: true, done: Promise.resolve() },
  ): Promise<OwnedGroup> => {
    const record = groupOf(groupId, { createdAt: clock.now(), emptiedAt: clock.now(), ...fields });
    await store.write(record, term);
    const group: OwnedGroup = new OwnedGroup(
      { ...record, depth: 0, bytes: 0, lastSeq: 0, collected: -1 },
      {
        ...{ store, clock, bounds, counts: createJobCounts(), logger: silentLogger },
        burial: { bury: async (_record, { seq }) => dead.push(seq) > 0, close: () => undefined },
        ...{ gathered, taken: new TakenMessages() },
        limits: { reached: (limit) => void reached.push(limit) },
        changed: () => undefined,
        storedUntil: () => 0,
        flushed: async () => {
          const changes = group.takeChanges();
          if (changes) await store.commit(shard, term, [changes]);
        },
        describe: () => undefined,
        described: async () => undefined,
      },
    );
    return group;
  };
  const publish = (group: OwnedGroup, bytes = 10): void =>
    group.take(message({ body: new Uint8Array(bytes) }), -1);
  const enter = (group: OwnedGroup, filters?: readonly string[], got: number[] = []) => {
    const { options } = group.record;
    const wishes = { filters, own: undefined };
    const joining = { actorTokenId: 'ann', wishes, options, held: [], settled: [], givenBack: [] };
    return group.members.join(joining, { take: (seq) => void got.push(seq), ended: () => undefined });
  };

  it('[WS-JOB-4] ends 24 hours after its last member has left, and not before', async () => {
    const group = await open();
    publish(group);
    clock.forward(keptMs / 2);
    const member = enter(group);
    clock.forward(keptMs * 2);
    expect(await group.expire()).to.equal('kept');
    group.members.leave(member);
    clock.forward(keptMs - 1_000);
    expect(await group.expire()).to.equal('kept');
    expect(reached).to.eql([]);
    clock.forward(1_000);
    expect(await group.expire()).to.equal('expired');
    expect(reached).to.eql(['emptyJobGroupMs']);
  });

  it('[WS-JOB-12] made over REST it stays, and loses each job that has waited 24 hours without a member', async () => {
    const group = await open({ isPermanent: true });
    publish(group);
    clock.forward(keptMs / 2);
    publish(group);
    clock.forward(keptMs / 2);
    expect(await group.expire()).to.equal('kept');
    expect((await group.show()).depth).to.equal(1);
    expect(await seqsOf(store, groupId)).to.eql([2]);
    expect(reached).to.eql(['emptyJobGroupMs']);
    group.members.leave(enter(group));
    clock.forward(keptMs / 2);
    expect(await group.expire()).to.equal('kept');
    expect((await group.show()).depth).to.equal(1);
    clock.forward(keptMs / 2);
    expect(await group.expire()).to.equal('kept');
    expect((await group.show()).depth).to.equal(0);
  });

  it('[WS-JOB-4] ends 24 hours after a takeover from which none of its members has returned', async () => {
    const group = await open({ emptiedAt: null });
    publish(group);
    expect(await group.expire()).to.equal('kept');
    clock.forward(keptMs - 1_000);
    expect(await group.expire()).to.equal('kept');
    clock.forward(1_000);
    expect(await group.expire()).to.equal('expired');
  });

  it('[WS-JOB-4] is not without members before those of its former owner have had time to come back', async () => {
    const gathering = new Gathering(longMs);
    const group = await open({ emptiedAt: null }, undefined, gathering);
    expect(await group.expire()).to.equal('kept');
    expect(group.record.emptiedAt).to.equal(null);
    enter(group);
    gathering.begin([], longMs);
    expect(await group.expire()).to.equal('kept');
    expect(group.record.emptiedAt).to.equal(null);
  });

  it('[WS-JOB-12] made over REST it loses its jobs 24 hours after such a takeover', async () => {
    const group = await open({ emptiedAt: null, isPermanent: true });
    publish(group);
    expect(await group.expire()).to.equal('kept');
    clock.forward(keptMs);
    expect(await group.expire()).to.equal('kept');
    expect((await group.show()).depth).to.equal(0);
  });

  for (const [bounds, limit] of [
    [{ jobs: 3, bytes: 1_000_000 }, 'groupJobs'],
    [{ jobs: 1_000, bytes: 3_500 }, 'groupJobBytes'],
  ] as const)
    it(`[WS-JOB-10] beyond its bound the oldest become dead letters, and it is said which: ${limit}`, async () => {
      const group = await open({}, bounds);
      for (let n = 0; n < 5; n += 1) publish(group, 1_000);
      await eventually(async () => group.load.depth === 3, { what: 'room' });
      expect(dead).to.eql([1, 2]);
      expect(reached).to.eql([limit, limit]);
    });

  it('[WS-JOB-2] divides what has waited for a takeover among all members that are ready by then', async () => {
    const gathering = new Gathering(longMs);
    const group = await open({}, undefined, gathering);
    const got: number[][] = [[], [], []];
    const members = got.map((seqs) => enter(group, undefined, seqs));
    const [first, gone] = members as [JobMember, JobMember];
    for (const member of members) group.members.ready(member);
    group.members.leave(gone);
    for (let n = 0; n < 6; n += 1) publish(group);
    expect(got).to.eql([[], [], []]);
    gathering.begin([], longMs);
    await eventually(async () => got.flat().length === 6, { what: 'all jobs' });
    expect(got.map(({ length }) => length)).to.eql([3, 0, 3]);
    group.members.leave(first);
  });

  it('[WS-JOB-4] after a takeover takes what its members leave out, until all processes that had some are here or dead', async () => {
    const gathering = new Gathering(longMs);
    const group = await open({}, undefined, gathering);
    const got: number[] = [];
    group.members.ready(enter(group, ['paid'], got));
    const take = (filter: string): void => group.take(message({ filters: [filter] }), -1);
    take('refunded');
    expect(group.load.depth).to.equal(1);
    gathering.begin(['slow', 'dead'], 1);
    await gathering.done;
    take('refunded');
    take('paid');
    expect(group.load.depth).to.equal(3);
    await eventually(async () => got.length === 1, { what: 'the job that a member wants' });
    gathering.heard('slow');
    take('refunded');
    expect(group.load.depth).to.equal(4);
    gathering.keep(new Set(['slow']));
    take('refunded');
    expect(group.load.depth).to.equal(4);
  });
});
