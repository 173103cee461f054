import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { GroupStore, GroupCheckpoint } from '@roomwire/shared/ports/groupStore';

export interface GroupStoreUnderTest {
  readonly store: GroupStore;
  /** Closes the store and opens another one on the same data. */
  reopen(): Promise<GroupStore>;
  dispose(): Promise<void>;
}

const tomorrow = Date.now() + 86_400_000;

const groupOf = (group: string, fields: Partial<GroupCheckpoint> = {}): GroupCheckpoint => ({
  ...{
    topic: 'p/app/_/room/topic',
    group,
    sinceMs: 1_000,
    undone: ['u'],
    done: [],
    place: 'x',
    expiresAt: tomorrow,
  },
  ...fields,
});

/** What every store of checkpoints promises. */
export const groupStoreContract = (name: string, open: () => Promise<GroupStoreUnderTest>): void => {
  describe(`the checkpoints of worker groups on ${name}`, () => {
    let underTest: GroupStoreUnderTest;
    let store: GroupStore;

    beforeEach(async () => {
      underTest = await open();
      ({ store } = underTest);
    });

    afterEach(() => underTest.dispose());

    const load = ({ topic, group }: GroupCheckpoint, from = store) => from.load(topic, group);

    it('has no checkpoint that was not written', async () => {
      expect(await load(groupOf('g'))).to.equal(undefined);
      await store.remove('p/app/_/room/topic', 'g');
    });

    it('returns the last checkpoint of a group, and none of another group or topic', async () => {
      const names = ['g', 'g/h', '$x.y', '"', 'ü'.repeat(255)];
      for (const group of names) await store.write(groupOf(group));
      const newer = groupOf('g', { sinceMs: 2_000, done: ['a', 'b'] });
      await store.write(newer);
      expect(await load(newer)).to.deep.equal(newer);
      for (const group of names.slice(1)) expect(await load(groupOf(group))).to.deep.equal(groupOf(group));
      expect(await store.load('p/app/_/room/topi', 'cg')).to.equal(undefined);
    });

    it('removes a checkpoint', async () => {
      await store.write(groupOf('g'));
      await store.write(groupOf('h'));
      await store.remove(groupOf('g').topic, 'g');
      expect(await load(groupOf('g'))).to.equal(undefined);
      expect(await load(groupOf('h'))).to.deep.equal(groupOf('h'));
    });

    it('writes many concurrently, with thousands of ids', async () => {
      const done = Array.from({ length: 2_000 }, (_, n) => `0mabcdefg0001.${n}`);
      const many = Array.from({ length: 20 }, (_, n) => groupOf(String(n), { done }));
      await Promise.all(many.map((group) => store.write(group)));
      for (const group of many) expect(await load(group)).to.deep.equal(group);
    });

    it('accepts one of two concurrent writers', async () => {
      const both = [groupOf('g', { sinceMs: 1 }), groupOf('g', { sinceMs: 2 })];
      await Promise.all(both.map((group) => store.write(group)));
      expect(both).to.deep.include(await load(groupOf('g')));
    });

    it('keeps the checkpoints when it is reopened', async () => {
      await store.write(groupOf('g', { done: ['x'] }));
      expect(await load(groupOf('g'), await underTest.reopen())).to.deep.equal(groupOf('g', { done: ['x'] }));
    });

    it('rejects when it is closed', async () => {
      await store.close();
      for (const attempt of [store.load('t', 'g'), store.write(groupOf('g')), store.remove('t', 'g')]) {
        const error = await attempt.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).to.be.instanceOf(EngineUnavailable);
      }
    });
  });
};
