import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedJobStore } from '@roomwire/shared/adapters/job-store/embeddedJobStore';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { PastMessage, RoomPast } from '@roomwire/shared/ports/roomPast';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { groupOf } from '@roomwire/testing/contracts/job-store/storedJobs';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { Intake } from '../../../src/jobs/owner/intake.js';
import type { OwnedShard } from '../../../src/jobs/owner/ownedShard.js';
import { openShard } from '../../support/openShard.js';

/** A call that has come, and goes on when it is told to. */
class Halt {
  readonly reached: Promise<void>;
  private arrive: () => void = () => undefined;
  private end: () => void = () => undefined;
  private readonly ended: Promise<void>;

  constructor() {
    this.reached = new Promise((resolve) => (this.arrive = resolve));
    this.ended = new Promise((resolve) => (this.end = resolve));
  }

  async pass(): Promise<void> {
    this.arrive();
    await this.ended;
  }

  goOn(): void {
    this.end();
  }
}

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const record = groupOf('g');

const noPast: RoomPast = {
  partitionOf: () => 0,
  async *behind(): AsyncGenerator<readonly PastMessage[]> {
    yield [];
  },
};

describe('the shards of a process', () => {
  let folder: TemporaryFolder;
  let store: JobStore;

  beforeEach(async () => {
    folder = await temporaryFolder();
    store = await openEmbeddedJobStore({ file: (name) => join(folder.path, name) });
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  describe('a shard', () => {
    /** Does what it is asked for, and says once that it has failed. */
    const failingOnce = (method: 'write' | 'commit'): JobStore => {
      let failures = 0;
      const real = (...given: unknown[]) =>
        (store[method] as (this: JobStore, ...args: unknown[]) => Promise<void>).apply(store, given);
      const done = async (...given: unknown[]): Promise<void> => {
        await real(...given);
        if (failures++ === 0) throw new EngineUnavailable('jobs');
      };
      return Object.assign(Object.create(store) as JobStore, { [method]: done });
    };

    for (const method of ['write', 'commit'] as const)
      it(`[WS-JOB-4] makes a group once, although an answer of the store is lost (${method})`, async () => {
        const owned = openShard(1, { store: failingOnce(method), past: noPast, endOf: async () => 7 });
        await owned.ready;
        let made: unknown;
        let ids = 0;
        while (made === undefined)
          made = await owned.make(groupOf(`id ${(ids += 1)}`, { name: 'g' })).catch(() => undefined);
        await owned.close();
        const { groups } = await store.take(record.shard, 2);
        expect(groups.map(({ name }) => name)).to.eql(['g']);
      });
  });

  describe('what is said of the groups of a shard', () => {
    it('[WS-JOB-12] makes no group anew that is deleted meanwhile', async () => {
      const owned = openShard(1, { store });
      await owned.ready;
      const group = await owned.make(record);
      await store.removeOf([record.owners.roomId]);
      await group.madePermanent(record.options);
      await owned.close();
      expect(await store.group(record.groupId)).to.equal(undefined);
    });
  });

  describe('a shard that another process has taken', () => {
    let owned: OwnedShard;
    let superseded: number;

    beforeEach(() => {
      superseded = 0;
      owned = open();
    });
    afterEach(() => owned.abandon());

    const open = (): OwnedShard => {
      const opened = openShard(1, {
        store,
        superseded: () => {
          superseded++;
          opened.abandon();
        },
      });
      return opened;
    };

    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      'before it has read its groups': async () => {
        await owned.ready;
        await store.take(record.shard, 2);
        owned = open();
        return owned.ready;
      },
      'before a group is made': async () => {
        await owned.ready;
        await store.take(record.shard, 2);
        return owned.make(record);
      },
      'before a group is deleted': async () => {
        await owned.ready;
        const group = await owned.make(record);
        await store.take(record.shard, 2);
        return owned.remove(group);
      },
      'before a group is made permanent': async () => {
        await owned.ready;
        const group = await owned.make(record);
        await store.take(record.shard, 2);
        return group.madePermanent(record.options);
      },
    };

    for (const [when, call] of Object.entries(calls))
      it(`has whoever asks wait for the other one (${when})`, async () => {
        expect(await errorOf(call())).to.be.instanceOf(EngineUnavailable);
        expect(superseded).to.equal(1);
        expect([...owned]).to.eql([]);
      });
  });

  describe('a shard that its process gives up', () => {
    let intake: Intake;
    /** How often rooms were subscribed to, and not unsubscribed. */
    let subscribed: number;
    let subscribing: Halt | undefined;

    beforeEach(async () => {
      [subscribed, subscribing] = [0, undefined];
      intake = new Intake({
        subscribe: async () => {
          subscribed++;
          await subscribing?.pass();
        },
        unsubscribe: () => void subscribed--,
      });
      const first = openShard(1, { store });
      await first.ready;
      await first.make(record);
      await first.close();
    });

    it('[WS-JOB-2] while it reads what was published before has none of the groups that the process has when it owns the shard again', async () => {
      const reading = new Halt();
      const past: RoomPast = {
        partitionOf: () => 0,
        async *behind(): AsyncGenerator<readonly PastMessage[]> {
          await reading.pass();
          yield [];
        },
      };
      const withLog = openShard(2, { store, intake, past, endOf: async () => 7 });
      await withLog.ready;
      await withLog.close();
      const former = openShard(3, { store, intake, past });
      await reading.reached;
      former.abandon();
      const next = openShard(4, { store, intake });
      await next.ready;
      reading.goOn();
      expect(await errorOf(former.ready)).to.be.instanceOf(EngineUnavailable);
      expect(next.find(record)).to.equal(next.get(record.groupId));
      expect([...intake.groupsOf(record.topic)]).to.have.members([...next]);
      next.abandon();
      expect(subscribed).to.equal(0);
    });

    it('while it subscribes to the rooms of its groups leaves none of them subscribed', async () => {
      subscribing = new Halt();
      await store.write({ ...record, groupId: 'another' }, 1);
      const owned = openShard(2, { store, intake });
      await subscribing.reached;
      owned.abandon();
      subscribing.goOn();
      expect(await errorOf(owned.ready)).to.be.instanceOf(EngineUnavailable);
      expect(subscribed).to.equal(0);
      expect([...owned]).to.eql([]);
    });

    it('while it makes a group has not made it, and leaves its room', async () => {
      const writing = new Halt();
      const slow = Object.assign(Object.create(store) as JobStore, {
        write: async (...group: Parameters<JobStore['write']>) => {
          await writing.pass();
          await store.write(...group);
        },
      });
      const owned = openShard(2, { store: slow, intake });
      await owned.ready;
      const made = owned.make(groupOf('new', { name: 'new' }));
      await writing.reached;
      owned.abandon();
      writing.goOn();
      expect(await errorOf(made)).to.be.instanceOf(EngineUnavailable);
      expect(subscribed).to.equal(0);
      expect([...owned]).to.eql([]);
    });

    it('[WS-JOB-2] and that is still being closed lends no group to the same shard, owned again', async () => {
      const committing = new Halt();
      const slow = Object.assign(Object.create(store) as JobStore, {
        commit: async (...changes: Parameters<JobStore['commit']>) => {
          await committing.pass();
          await store.commit(...changes);
        },
      });
      const former = openShard(2, { store: slow, intake });
      await former.ready;
      former.find(record)?.add(liveMessage({ room: record.room, topic: record.topic }));
      const closing = former.close();
      await committing.reached;
      const next = openShard(3, { store, intake });
      await next.ready;
      expect(next.find(record)).to.equal(next.get(record.groupId)).and.not.equal(undefined);
      committing.goOn();
      await closing;
      expect([...intake.groupsOf(record.topic)]).to.eql([...next]);
      next.abandon();
      expect(subscribed).to.equal(0);
    });
  });
});
