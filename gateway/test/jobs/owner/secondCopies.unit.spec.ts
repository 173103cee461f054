import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedJobStore } from '@roomwire/shared/adapters/job-store/embeddedJobStore';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { PastMessage, RoomPast } from '@roomwire/shared/ports/roomPast';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { groupOf, seqsOf } from '@roomwire/testing/contracts/job-store/storedJobs';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { Intake } from '../../../src/jobs/owner/intake.js';
import type { OwnedGroup } from '../../../src/jobs/owner/ownedGroup.js';
import type { OwnedShard } from '../../../src/jobs/owner/ownedShard.js';
import { TakenMessages } from '../../../src/jobs/owner/takenMessages.js';
import { openShard } from '../../support/openShard.js';

const record = groupOf('g');
const { room, topic } = record;

const messageOf = (name: string): LiveMessage => liveMessage({ id: name, room, topic });
/** Its publisher may publish it again. */
const withId = (name: string): LiveMessage => messageOf(`0mjuoi3ry0000.gateway~${name}`);

const ofOthers = (n: number): LiveMessage =>
  liveMessage({ id: `other ${n}`, room, topic: `${topic}-of-others` });

/** The log of a room, in which the records of others are between. */
class RoomLog implements RoomPast {
  readonly records: PastMessage[] = [];

  add(message: LiveMessage): PastMessage {
    const stored = { message, offset: this.records.length };
    this.records.push(stored);
    return stored;
  }

  fill(count: number): void {
    for (let n = 0; n < count; n += 1) this.add(ofOthers(this.records.length));
  }

  partitionOf(): number {
    return 0;
  }

  async *behind(_partition: number, offset: number): AsyncGenerator<readonly PastMessage[]> {
    yield this.records.slice(offset + 1);
  }
}

describe('second copies of messages that are jobs', () => {
  let folder: TemporaryFolder;
  let store: JobStore;
  let log: RoomLog | undefined;
  let taken: TakenMessages;
  let term: number;
  let isStoreAway: boolean;

  const openStore = async (): Promise<void> =>
    void (store = await openEmbeddedJobStore({ file: (name) => join(folder.path, name) }));

  beforeEach(async () => {
    folder = await temporaryFolder();
    await openStore();
    [log, taken, term, isStoreAway] = [undefined, new TakenMessages(), 0, false];
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  /** The next owner of the shard, in this process or another one. */
  const owner = async (): Promise<{ readonly owned: OwnedShard; readonly intake: Intake }> => {
    const intake = new Intake({ subscribe: async () => undefined, unsubscribe: () => undefined });
    const owned = openShard(++term, {
      ...{ intake, taken, past: log },
      store: Object.assign(Object.create(store) as JobStore, {
        commit: (...changes: Parameters<JobStore['commit']>) =>
          isStoreAway ? Promise.reject(new EngineUnavailable('jobs')) : store.commit(...changes),
      }),
      endOf: async () => (log === undefined ? -1 : log.add(ofOthers(log.records.length)).offset),
    });
    await owned.ready;
    owned.gather([]);
    return { owned, intake };
  };
  const groupIn = (owned: OwnedShard): OwnedGroup => owned.get(record.groupId) as OwnedGroup;
  const publish = (
    { take }: { take(message: LiveMessage, offset: number): void },
    message: LiveMessage,
  ): void => take(message, log === undefined ? -1 : log.add(message).offset);
  const through = (intake: Intake) => ({
    take: (message: LiveMessage, offset: number) => intake.take(message, offset),
  });
  const jobs = async (owned: OwnedShard): Promise<number> => {
    await owned.flushed();
    return (await seqsOf(store, record.groupId)).length;
  };

  for (const [profile, open] of [
    ['in the job store alone', () => undefined],
    ['in the log of the room', () => new RoomLog()],
  ] as const)
    describe(`where messages are durable ${profile}`, () => {
      beforeEach(() => (log = open()));

      it('[WS-JOB-2] [WS-ONCE-4] are no jobs, whether the first waits or is done', async () => {
        const { owned, intake } = await owner();
        const group = await owned.make(record);
        const [first, second] = [messageOf('first'), withId('second')];
        for (const message of [first, second, first, second]) publish(through(intake), message);
        expect(await jobs(owned)).to.equal(2);
        for (const seq of [1, 2]) group.members.settle(seq);
        for (const message of [first, second]) publish(through(intake), message);
        expect(await jobs(owned)).to.equal(0);
        await owned.close();
      });

      it('[WS-JOB-2] [WS-ONCE-4] are no jobs of the next owner, however much was published between', async () => {
        const former = await owner();
        const group = await former.owned.make(record);
        for (const name of ['waits', 'is done']) publish(through(former.intake), withId(name));
        group.members.settle(2);
        log?.fill(10_000);
        await former.owned.close();
        await store.close();
        await openStore();
        taken = new TakenMessages();

        const { owned, intake } = await owner();
        for (const name of ['waits', 'is done', 'is new']) publish(through(intake), withId(name));
        expect(await jobs(owned)).to.equal(2);
        await owned.close();
      });

      it('[WS-JOB-4] are jobs of a group that ended before: of its name there is another one', async () => {
        const { owned, intake } = await owner();
        await owned.remove(await owned.make(record));
        await owned.make({ ...record, groupId: 'another' });
        publish(through(intake), withId('a'));
        publish(through(intake), withId('a'));
        await owned.flushed();
        expect(await seqsOf(store, 'another')).to.have.length(1);
        await owned.close();
      });
    });

  it('[WS-JOB-2] are no jobs where they come while a group begins', async () => {
    log = new RoomLog();
    const { owned, intake } = await owner();
    const making = owned.make(record);
    const message = messageOf('early');
    while (log.records.length === 0) await Promise.resolve();
    publish(through(intake), message);
    await making;
    publish(through(intake), message);
    expect(await jobs(owned)).to.equal(1);
    await owned.close();
  });

  it('[WS-JOB-2] are no jobs of the next owner where both are in the log, whatever their QoS', async () => {
    log = new RoomLog();
    const former = await owner();
    await former.owned.make(record);
    publish(through(former.intake), messageOf('a'));
    await former.owned.close();
    for (const name of ['a', 'b', 'b']) log.add(messageOf(name));
    const { owned } = await owner();
    expect(await jobs(owned)).to.equal(2);
    await owned.close();
  });

  it('[WS-JOB-4] do not keep the next owner from what this process has taken and could not store', async () => {
    log = new RoomLog();
    const former = await owner();
    await former.owned.make(record);
    isStoreAway = true;
    publish(through(former.intake), withId('a'));
    expect(groupIn(former.owned).load.depth).to.equal(1);
    former.owned.abandon();
    isStoreAway = false;
    const { owned } = await owner();
    expect(await jobs(owned)).to.equal(1);
    await owned.close();
  });
});
