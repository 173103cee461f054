import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ActivityCounts, ActivityStore, ActivityWriter } from '@roomwire/shared/ports/activityStore';
import type { Reopenable } from './reopenable.js';

/** What every adapter of the `ActivityStore` port guarantees. */
export const activityStoreContract = (name: string, open: () => Promise<Reopenable<ActivityStore>>): void => {
  describe(`activity store: ${name}`, () => {
    let opened: Reopenable<ActivityStore>;
    let store: ActivityStore;
    /** The last minute of an hour. */
    const last = 29_000_000 * 60 - 1;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.dispose());

    const writer = (fields: Partial<ActivityWriter> = {}): ActivityWriter => ({
      ...{ writer: 'w1', from: last, upTo: last, missing: [], hasEnded: false },
      ...fields,
    });
    const account = (minute: number, projects: Readonly<Record<string, ActivityCounts>>) => ({
      minute,
      projects: new Map(Object.entries(projects)),
    });
    const found = async (projectId = 'p1', from = last - 60, to = last + 60) => {
      const { accounts, writers } = await store.find({ projectId, from, to });
      return {
        writers,
        accounts: accounts.toSorted(
          (one, other) => one.minute - other.minute || (one.counts[0] ?? 0) - (other.counts[0] ?? 0),
        ),
      };
    };

    it('has the accounts of all writers, over the end of an hour, by project', async () => {
      const [one, two] = [writer({ upTo: last + 1 }), writer({ writer: 'w2', missing: [last] })];
      await store.note([account(last, { p1: [1, 2], p2: [9, 9] }), account(last + 1, { p1: [3, 4] })], one);
      await store.note([account(last, { p1: [5, 6] })], two);
      const expected = {
        accounts: [
          { minute: last, counts: [1, 2] },
          { minute: last, counts: [5, 6] },
          { minute: last + 1, counts: [3, 4] },
        ],
      };
      const before = await found();
      expect(before.accounts).to.deep.equal(expected.accounts);
      expect(before.writers).to.have.deep.members([one, two]);
      expect((await found('p2')).accounts).to.deep.equal([{ minute: last, counts: [9, 9] }]);
      store = await opened.reopen();
      expect(await found()).to.deep.equal(before);
    });

    it('takes an account again without counting it twice, and the later state of a writer', async () => {
      for (const upTo of [last, last + 1])
        await store.note([account(last, { p1: [1, 2] })], writer({ upTo, hasEnded: upTo > last }));
      expect(await found()).to.deep.equal({
        accounts: [{ minute: last, counts: [1, 2] }],
        writers: [writer({ upTo: last + 1, hasEnded: true })],
      });
    });

    it('notes a writer of which there is nothing else to tell', async () => {
      await store.note([], writer({ upTo: last - 1 }));
      expect(await found()).to.deep.equal({ accounts: [], writers: [writer({ upTo: last - 1 })] });
    });

    it('removes what is old, and nothing else', async () => {
      const old = last - 120;
      await store.note([account(old, { p1: [1] })], writer({ writer: 'old', from: old, upTo: old }));
      await store.note([account(last, { p1: [2] })], writer());
      await store.prune(last);
      expect(await found('p1', old, last + 1)).to.deep.equal({
        accounts: [{ minute: last, counts: [2] }],
        writers: [writer()],
      });
    });

    it('is unavailable once it is closed', async () => {
      await store.close();
      for (const attempt of [() => store.note([], writer()), () => found(), () => store.prune(last)])
        expect(await attempt().catch((error: unknown) => error)).to.be.instanceOf(EngineUnavailable);
    });
  });
};
