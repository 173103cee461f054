import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedJobStore } from '@roomwire/shared/adapters/job-store/embeddedJobStore';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import { shardKey, type JobNews, type JobNewsOf } from '@roomwire/shared/wire/bus/jobNews';
import { groupOf, shard } from '@roomwire/testing/contracts/job-store/storedJobs';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { MemberProcesses } from '../../../src/jobs/link/memberProcesses.js';
import { RemoteGroups } from '../../../src/jobs/link/remoteGroups.js';
import type { OwnedShard } from '../../../src/jobs/owner/ownedShard.js';
import { openShard } from '../../support/openShard.js';

const record = groupOf('g');
const { owners, room, topic, name, options } = record;
const term = 1;
const gateway = 'another gateway';

describe('a join that its owner answers too late', () => {
  let folder: TemporaryFolder;
  let store: JobStore;
  let owned: OwnedShard;
  let sent: JobNews[];

  beforeEach(async () => {
    folder = await temporaryFolder();
    store = await openEmbeddedJobStore({ file: (file) => join(folder.path, file) });
    owned = openShard(term, { store });
    await owned.ready;
    sent = [];
  });
  afterEach(async () => {
    owned.abandon();
    await store.close();
    await folder.remove();
  });

  /** What the other gateway sends for a join that it gives up. */
  const givenUp = async (): Promise<readonly [JobNewsOf<'join'>, JobNewsOf<'leave'>]> => {
    const remote = new RemoteGroups({
      link: { id: gateway, send: (news) => void sent.push(news) },
      owners: { of: () => ({ term, id: 'owner' }) },
      now: () => 0,
    });
    const request = {
      owners,
      room,
      topic,
      name,
      options,
      actorTokenId: 'ann',
      held: [],
      settled: [],
      givenBack: [],
    };
    const joining = remote.join({ ...request, wishes: { filters: undefined, own: undefined } }, shard, {
      take: () => undefined,
      ended: () => undefined,
      rejoin: async () => undefined,
    });
    const failed = joining.catch((error: unknown) => error);
    remote.ownerChanged(shard);
    expect(await failed).to.be.instanceOf(EngineUnavailable);
    return sent as unknown as readonly [JobNewsOf<'join'>, JobNewsOf<'leave'>];
  };

  it('is taken back by its gateway', async () => {
    const [joined, left] = await givenUp();
    expect(left).to.eql({ kind: 'leave', to: shardKey(shard), from: gateway, term, member: joined.member });
  });

  for (const [when, isMaking] of [
    ['while the group is being made', true],
    ['when it is a member', false],
  ] as const)
    it(`[WS-JOB-2] leaves nobody in the group that gets jobs: ${when}`, async () => {
      const [joined, left] = await givenUp();
      const group = await owned.make(record);
      let made: () => void = () => undefined;
      const making = new Promise<void>((resolve) => (made = resolve));
      const processes = new MemberProcesses({
        link: { send: () => undefined },
        now: () => 0,
        others: () => [gateway],
        groupAt: async () => {
          await making;
          return group;
        },
      });
      const joining = processes.join(joined, shard, () => true);
      if (isMaking) processes.obey(left, shard);
      made();
      await joining;
      expect(group.members.count).to.equal(isMaking ? 0 : 1);
      if (!isMaking) processes.obey(left, shard);
      expect(group.members.count).to.equal(0);
    });
});
