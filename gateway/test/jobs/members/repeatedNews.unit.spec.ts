import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedJobStore } from '@roomwire/shared/adapters/job-store/embeddedJobStore';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { groupOf, shard } from '@roomwire/testing/contracts/job-store/storedJobs';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { MemberProcesses } from '../../../src/jobs/link/memberProcesses.js';
import { RemoteGroups } from '../../../src/jobs/link/remoteGroups.js';
import { LocalMember } from '../../../src/jobs/localMember.js';
import { HeldJobs } from '../../../src/jobs/members/heldJobs.js';
import { JobMembership, type JobMemberRequest } from '../../../src/jobs/members/jobMembership.js';
import type { OwnedGroup } from '../../../src/jobs/owner/ownedGroup.js';
import type { OwnedShard } from '../../../src/jobs/owner/ownedShard.js';
import { OtherKindOfGroup } from '../../../src/jobs/owner/otherKindOfGroup.js';
import { openShard } from '../../support/openShard.js';
import { ShiftedClock } from '../../support/shiftedClock.js';

const term = 1;
const record = groupOf('g');
const { owners, room, topic, name, options } = record;

describe('what a member has said to an owner that gives its group up', () => {
  let folder: TemporaryFolder;
  let store: JobStore;
  let clock: ShiftedClock;
  let isDown: boolean;
  let owned: OwnedShard;
  let group: OwnedGroup;
  let remote: RemoteGroups;
  let member: JobMembership;
  let got: number;
  let requests: JobMemberRequest[];

  beforeEach(async () => {
    folder = await temporaryFolder();
    store = await openEmbeddedJobStore({ file: (file) => join(folder.path, file) });
    clock = new ShiftedClock();
    [isDown, got, requests] = [false, 0, []];
    const failing = Object.assign(Object.create(store) as JobStore, {
      commit: async (...changes: Parameters<JobStore['commit']>) => {
        if (isDown) throw new EngineUnavailable('jobs');
        await store.commit(...changes);
      },
    });
    owned = openShard(term, { store: failing, clock });
    await owned.ready;
    group = await owned.make(record);
    owned.gather([]);
    await owned.gathering?.done;
    const now = (): number => clock.monotonic();
    const processes = new MemberProcesses({
      ...{ now, others: () => ['member'], groupAt: async () => group },
      link: { send: (news) => remote.take(news) },
    });
    remote = new RemoteGroups({
      ...{ now, owners: { of: () => ({ term, id: 'owner' }) } },
      link: {
        id: 'member',
        send: (news) => {
          if (news.kind === 'join') void processes.join(news, shard, () => true);
          else if (news.kind === 'settle') news.seqs.forEach((seq) => group.members.settle(seq));
          else if ('member' in news && 'from' in news) processes.obey(news, shard);
        },
      },
    });
  });
  afterEach(async () => {
    member.leave();
    owned.abandon();
    await store.close();
    await folder.remove();
  });

  /** A member at the owner, with the first jobs of the group. */
  const enter = async (isRemote: boolean, jobs: number): Promise<void> => {
    member = new JobMembership(
      {
        ...{ owners, room, topic, name, options, actorTokenId: 'ann', held: new HeldJobs() },
        wishes: { filters: undefined, own: undefined },
        entered: () => undefined,
        deliver: () => void got++,
        hasRoom: () => true,
        ended: () => member.leave(),
      },
      {
        join: async (request) => {
          requests.push(request);
          if (requests.length > 1) throw new OtherKindOfGroup(name);
          if (isRemote) return remote.join(request, shard, member);
          return new LocalMember(group, group.members.join(request, member));
        },
        left: () => undefined,
        now: () => clock.monotonic(),
      },
    );
    await member.join();
    member.release();
    await publish(jobs);
    await owned.flushed();
  };
  const publish = async (jobs: number): Promise<void> => {
    const until = got + jobs;
    for (let n = 0; n < jobs; n++) group.add(liveMessage({ room, topic }));
    await eventually(async () => got === until, { what: 'the jobs' });
  };

  for (const [where, isRemote] of [
    ['the same process', false],
    ['another one', true],
  ] as const)
    it(`[WS-JOB-8] is said to the next owner where it could not be stored: a member of ${where}`, async () => {
      await enter(isRemote, 2);
      isDown = true;
      member.settle(1);
      await eventually(async () => group.load.depth === 1, { what: 'the acknowledgement' });
      clock.forward(60_000);
      await publish(1);
      member.settle(2);
      await owned.close();
      await member.rejoin();
      expect(requests.at(-1)).to.deep.include({ settled: [1, 2], held: [3] });
    });

  it('[WS-JOB-6] is said to the next one by a member of the same process, which gets nothing more from this one', async () => {
    await enter(false, options.prefetch);
    group.add(liveMessage({ room, topic }));
    owned.abandon();
    member.giveBack(1, 5_000);
    member.settle(2);
    expect(got).to.equal(options.prefetch);
    await member.rejoin();
    const { settled, givenBack } = requests.at(-1) as JobMemberRequest;
    expect(settled).to.eql([2]);
    expect(givenBack.map(({ seq, delivery }) => [seq, delivery])).to.eql([[1, 1]]);
  });

  for (const [where, isRemote, laterMs] of [
    ['the same process', false, 0],
    ['another one', true, 60_000],
  ] as const)
    it(`is not said once more when it is stored: a member of ${where}`, async () => {
      await enter(isRemote, 2);
      member.settle(1);
      await eventually(async () => group.load.depth === 1, { what: 'the acknowledgement' });
      await owned.flushed();
      clock.forward(laterMs);
      await publish(1);
      await owned.flushed();
      await publish(1);
      await member.rejoin();
      expect(requests.at(-1)).to.deep.include({ settled: [], held: [2, 3, 4] });
    });
});
