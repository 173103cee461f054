import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { NewSchedule, ScheduledPublish, ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { Reopenable } from './reopenable.js';

const projectId = '10000000-0000-4000-8000-000000000000';
const topic = 'app/room/topic';

const scope = { accessScopeId: 's', slug: 'line-1', name: 'Line $1' };

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const placeOf = (n: number): string => `p${String(n).padStart(5, '0')}.gA_-z`;

export const scheduleOf = (n: number, fields: Partial<ScheduledPublish> = {}): NewSchedule => ({
  publish: {
    ...{ scheduledId: idOf(n), shard: 1, deliverAt: 1_000 + n, place: placeOf(n), createdAt: 500 },
    ...{ organizationId: 'o', projectId, appId: 'a', roomId: 'r', scope: null, actorTokenId: 'x' },
    ...{ topic, filters: [], retain: false, qos: 1, bytes: 3 },
    ...fields,
  },
  data: Uint8Array.of(0x92, n % 100, 2),
});

/** What every store of scheduled publishes promises. */
export const scheduleStoreContract = (name: string, open: () => Promise<Reopenable<ScheduleStore>>): void => {
  describe(`scheduled publishes on ${name}`, () => {
    let underTest: Reopenable<ScheduleStore>;
    let store: ScheduleStore;

    beforeEach(async () => {
      underTest = await open();
      ({ store } = underTest);
    });

    afterEach(() => underTest.dispose());

    const idsIn = (publishes: readonly Pick<ScheduledPublish, 'scheduledId'>[]) =>
      publishes.map(({ scheduledId }) => Number(scheduledId.slice(-12)));
    const dueIds = async (until = 9_000, shards = [1], limit = 100) =>
      idsIn(await store.due(shards, until, limit));
    const begin = (n: number, term: number, messageId = `m-${n}`) =>
      store.begin([{ scheduledId: idOf(n), term, messageId }]);

    it('gives what is due in the order of its time, and of acceptance at one time', async () => {
      const [first, second] = [1, 2].map((n) => ({ deliverAt: 2_000, place: placeOf(n) }));
      await store.add([scheduleOf(5), scheduleOf(3), scheduleOf(7, second), scheduleOf(9, first)]);
      await store.add([scheduleOf(4)]);
      expect(await dueIds()).to.deep.equal([3, 4, 5, 9, 7]);
      expect(await dueIds(2_000)).to.deep.equal([3, 4, 5, 9, 7]);
      expect(await dueIds(1_999)).to.deep.equal([3, 4, 5]);
      expect(await dueIds(1_004)).to.deep.equal([3, 4]);
      expect(await dueIds(9_000, [1], 2)).to.deep.equal([3, 4]);
    });

    it('gives those of the shards that it is asked for', async () => {
      await store.add([1, 2, 3, 4].map((n) => scheduleOf(n, { shard: n })));
      expect(await dueIds(9_000, [2, 4])).to.deep.equal([2, 4]);
      expect(await dueIds(9_000, [])).to.deep.equal([]);
    });

    it('keeps everything of a publish, also when it is reopened', async () => {
      const full = scheduleOf(1, {
        ...{ id: 'order:1', filter: 'ü', filters: ['$a', 'b.c'], retain: true, qos: 2, isSilent: true },
        ...{ scope, externalType: 'device' },
      });
      const data = new Uint8Array(700_000).fill(7);
      await store.add([{ ...full, data }]);
      store = await underTest.reopen();
      expect(await store.list(projectId, { limit: 10 })).to.deep.equal([full.publish]);
      const [begun] = await begin(1, 3);
      expect({ ...begun, data: undefined }).to.deep.equal({
        ...{ publish: full.publish, messageId: 'm-1', isRepeated: false, data: undefined },
      });
      expect(Buffer.compare(begun?.data ?? new Uint8Array(), data)).to.equal(0);
    });

    it('leaves one that is added again as it is', async () => {
      await store.add([scheduleOf(1)]);
      await store.add([scheduleOf(1, { deliverAt: 5 }), scheduleOf(2), scheduleOf(1), scheduleOf(3)]);
      expect(await dueIds()).to.deep.equal([1, 2, 3]);
      expect(await store.held(projectId)).to.deep.equal({ messages: 3, bytes: 9 });
    });

    it('gives one that was accepted again later its place, unless its delivery has begun', async () => {
      const again = (n: number) => scheduleOf(n, { deliverAt: 5_000 + n, place: placeOf(n + 10), bytes: 4 });
      await store.add([scheduleOf(1), scheduleOf(2), scheduleOf(3)]);
      await begin(2, 3);
      await store.add([again(1), again(2), scheduleOf(4), scheduleOf(5)]);
      // What was on its way for long comes behind it.
      await store.add([scheduleOf(1)]);
      expect(await dueIds()).to.deep.equal([2, 3, 4, 5, 1]);
      expect(await dueIds(1_999)).to.deep.equal([2, 3, 4, 5]);
      expect(await store.held(projectId)).to.deep.equal({ messages: 5, bytes: 16 });
      const all = await store.list(projectId, { topic, limit: 9 });
      expect(idsIn(all)).to.deep.equal([3, 4, 5, 1]);
      expect(all.at(-1)).to.deep.equal(again(1).publish);
      const [begun] = await begin(1, 3);
      expect(begun?.publish).to.deep.equal(again(1).publish);
    });

    it('lists those of a project and of a topic, page by page', async () => {
      const other = { topic: 'app/room/other' };
      // Some at one time, in the order of their places.
      const all = [1, 2, 3, 4, 5, 6].map((n) =>
        scheduleOf(n, { deliverAt: 2_000 + Math.trunc(n / 3), ...(n % 2 === 0 && other) }),
      );
      await store.add([...all, scheduleOf(7, { projectId: 'another' })]);
      const pages: number[][] = [];
      let after: ScheduledPublish | undefined;
      do {
        const page = await store.list(projectId, { after, limit: 4 });
        pages.push(idsIn(page));
        after = page.length === 4 ? page.at(-1) : undefined;
      } while (after !== undefined);
      expect(pages).to.deep.equal([
        [1, 2, 3, 4],
        [5, 6],
      ]);
      const [first] = await store.list(projectId, { topic: other.topic, limit: 1 });
      expect(idsIn([first as ScheduledPublish])).to.deep.equal([2]);
      const behind = await store.list(projectId, { topic: other.topic, limit: 9, after: first });
      expect(idsIn(behind)).to.deep.equal([4, 6]);
    });

    it('cancels one, once, of its own project alone', async () => {
      await store.add([scheduleOf(1), scheduleOf(2)]);
      expect(await store.cancel('another', idOf(1))).to.equal(false);
      expect(await store.cancel(projectId, idOf(1))).to.equal(true);
      expect(await store.cancel(projectId, idOf(1))).to.equal(false);
      expect(await dueIds()).to.deep.equal([2]);
      expect(await store.held(projectId)).to.deep.equal({ messages: 1, bytes: 3 });
      expect(await begin(1, 1)).to.deep.equal([]);
    });

    it('neither lists nor cancels what has begun, which is due until it has ended', async () => {
      await store.add([scheduleOf(1), scheduleOf(2)]);
      expect(await begin(1, 3)).to.have.length(1);
      expect(await store.cancel(projectId, idOf(1))).to.equal(false);
      expect(idsIn(await store.list(projectId, { limit: 9 }))).to.deep.equal([2]);
      expect(await dueIds()).to.deep.equal([1, 2]);
      await store.end([{ scheduledId: idOf(1), term: 3 }]);
      expect(await dueIds()).to.deep.equal([2]);
      await store.end([{ scheduledId: idOf(1), term: 3 }]);
    });

    it('keeps the name of a message that an earlier owner has begun', async () => {
      await store.add([scheduleOf(1)]);
      const [first] = await begin(1, 3, 'first');
      const [second] = await begin(1, 4, 'second');
      expect([first?.messageId, first?.isRepeated]).to.deep.equal(['first', false]);
      expect([second?.messageId, second?.isRepeated]).to.deep.equal(['first', true]);
    });

    it('refuses an owner of an earlier term', async () => {
      await store.add([scheduleOf(1)]);
      await begin(1, 4, 'late');
      expect(await begin(1, 3, 'early')).to.deep.equal([]);
      await store.end([{ scheduledId: idOf(1), term: 3 }]);
      expect(await dueIds()).to.deep.equal([1]);
      await store.end([{ scheduledId: idOf(1), term: 4 }]);
      expect(await dueIds()).to.deep.equal([]);
    });

    it('begins many in the order in which they are given', async () => {
      await store.add([1, 2, 3].map((n) => scheduleOf(n)));
      const begun = await store.begin(
        [3, 8, 1].map((n) => ({ scheduledId: idOf(n), term: 1, messageId: `m-${n}` })),
      );
      expect(begun.map(({ messageId }) => messageId)).to.deep.equal(['m-3', 'm-1']);
      expect(begun.map(({ data }) => [...data])).to.deep.equal([
        [0x92, 3, 2],
        [0x92, 1, 2],
      ]);
    });

    it('of a cancel and a begin at the same time lets one succeed', async () => {
      const many = Array.from({ length: 20 }, (_, n) => n);
      await store.add(many.map((n) => scheduleOf(n)));
      await Promise.all(
        many.map(async (n) => {
          const [isCancelled, begun] = await Promise.all([store.cancel(projectId, idOf(n)), begin(n, 1)]);
          expect(begun.length, `${n}`).to.equal(isCancelled ? 0 : 1);
        }),
      );
    });

    it('removes those of an owner', async () => {
      const owned = { s: { scope }, a2: { appId: 'a2' } };
      for (const [n, fields] of Object.values(owned).entries()) await store.add([scheduleOf(n, fields)]);
      await store.add(Array.from({ length: 250 }, (_, n) => scheduleOf(100 + n, { projectId: 'gone' })));
      // They are judged when they are due.
      await store.add([scheduleOf(8, { roomId: 'r2' }), scheduleOf(9, { actorTokenId: 'y' })]);
      expect(await store.removeOf(['r2', 'y'])).to.equal(0);
      for (const owner of Object.keys(owned)) expect(await store.removeOf([owner]), owner).to.equal(1);
      expect(await store.removeOf(['gone', 'nobody'])).to.equal(250);
      expect(await dueIds()).to.deep.equal([8, 9]);
      expect(await store.held('gone')).to.deep.equal({ messages: 0, bytes: 0 });
    });

    it('remembers how far the log was followed', async () => {
      expect([await store.checkpoint(), await store.origin()]).to.deep.equal([undefined, undefined]);
      await store.moveCheckpoint('12', { log: 'l', position: '12', event: 'e' });
      await store.moveCheckpoint('13');
      store = await underTest.reopen();
      expect(await store.checkpoint()).to.equal('13');
      expect(await store.origin()).to.deep.equal({ log: 'l', position: '12', event: 'e' });
      await store.moveCheckpoint(undefined);
      expect([await store.checkpoint(), await store.origin()]).to.deep.equal([undefined, undefined]);
    });

    it('rejects when it is closed', async () => {
      await store.close();
      for (const attempt of [
        () => store.add([scheduleOf(1)]),
        () => store.cancel(projectId, idOf(1)),
        () => store.due([1], 1, 1),
        () => begin(1, 1),
      ]) {
        const error = await attempt().then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).to.be.instanceOf(EngineUnavailable);
      }
    });
  });
};
