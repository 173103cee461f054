import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedJobStore } from '@roomwire/shared/adapters/job-store/embeddedJobStore';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { groupOf, seqsOf } from '@roomwire/testing/contracts/job-store/storedJobs';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import type { OwnedGroup } from '../../../src/jobs/owner/ownedGroup.js';
import type { OwnedShard } from '../../../src/jobs/owner/ownedShard.js';
import { openShard } from '../../support/openShard.js';

const record = groupOf('g');
const { groupId, room, topic, options } = record;

describe('a job that is acknowledged while it is in the store alone', () => {
  let folder: TemporaryFolder;
  let store: JobStore;
  let owned: OwnedShard;

  beforeEach(async () => {
    folder = await temporaryFolder();
    store = await openEmbeddedJobStore({ file: (name) => join(folder.path, name) });
    const former = openShard(1, { store });
    await former.ready;
    (await former.make(record)).add(liveMessage({ id: 'job', room, topic }));
    await former.close();
  });
  afterEach(async () => {
    owned.abandon();
    await store.close();
    await folder.remove();
  });

  /** Owned again, by a process whose store does some things otherwise. */
  const openWith = async (otherwise: Partial<JobStore>): Promise<OwnedGroup> => {
    owned = openShard(2, { store: Object.assign(Object.create(store) as JobStore, otherwise) });
    await owned.ready;
    owned.gather([]);
    await owned.gathering?.done;
    return owned.get(groupId) as OwnedGroup;
  };

  /** A member that may get jobs at once, and those that it gets. */
  const enter = (group: OwnedGroup, settled: readonly number[] = []): number[] => {
    const got: number[] = [];
    const wishes = { filters: undefined, own: undefined };
    const joining = { actorTokenId: 'ann', wishes, options, held: [], settled, givenBack: [] };
    const member = group.members.join(joining, { take: (seq) => void got.push(seq), ended: () => undefined });
    group.members.ready(member);
    return got;
  };

  /** Whoever has got this one would have got the one before it. */
  const nextOf = async (group: OwnedGroup, got: readonly number[]): Promise<void> => {
    group.add(liveMessage({ id: 'next job', room, topic }));
    await eventually(async () => got.includes(2), { what: 'the next job' });
  };

  it('[WS-JOB-8] to a new owner is not handed out, also where that is read later than the jobs', async () => {
    let page: () => void = () => undefined;
    const paged = new Promise<void>((resolve) => (page = resolve));
    const group = await openWith({
      page: async (...asked) => {
        const found = await store.page(...asked);
        setImmediate(page);
        return found;
      },
      get: async (...asked) => {
        await paged;
        return store.get(...asked);
      },
    });
    const got = enter(group, [1]);
    await nextOf(group, got);
    expect(got).to.eql([2]);
    await eventually(async () => (await seqsOf(store, groupId)).join() === '2', { what: 'the settlement' });
    expect(group.load.depth).to.equal(1);
  });

  it('[WS-JOB-8] is settled also where the store fails at first', async () => {
    let failures = 1;
    const group = await openWith({
      get: async (...asked) => {
        if (failures-- > 0) throw new EngineUnavailable('jobs');
        return store.get(...asked);
      },
    });
    const got = enter(group, [1]);
    await nextOf(group, got);
    expect(got).to.eql([2]);
    await eventually(async () => (await seqsOf(store, groupId)).join() === '2', { what: 'the settlement' });
  });

  it('[WS-JOB-8] is settled before its owner gives the group up', async () => {
    const group = await openWith({});
    group.members.settle(1);
    await owned.close();
    expect(await seqsOf(store, groupId)).to.eql([]);
  });
});
