import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { NewPayload, PayloadLimits, PayloadStore } from '@roomwire/shared/ports/payloadStore';
import type { Clock } from '@roomwire/shared/ports/clock';
import { ManualClock } from '../fakes/manualClock.js';
import type { Reopenable } from './reopenable.js';

/** `limits` is asked at each opening. */
export type OpenPayloads = (limits: () => PayloadLimits, clock: Clock) => Promise<Reopenable<PayloadStore>>;

const day = 86_400_000;

/** What every payload store promises. */
export const payloadStoreContract = (name: string, open: OpenPayloads): void => {
  describe(`the payload store on ${name}`, () => {
    let limits: PayloadLimits;
    let clock: ManualClock;
    let underTest: Reopenable<PayloadStore>;
    let store: PayloadStore;

    beforeEach(async () => {
      limits = { retentionMs: 14 * day, quotaBytes: 100_000 };
      clock = new ManualClock();
      underTest = await open(() => limits, clock);
      ({ store } = underTest);
    });

    afterEach(() => underTest.dispose());

    const payload = (id: string, fields: Partial<NewPayload> = {}): NewPayload => ({
      ...{ id, projectId: 'p', owners: [], content: Buffer.from(`content of ${id}`) },
      ...fields,
    });

    const sized = (id: string, bytes: number, projectId = 'p'): NewPayload =>
      payload(id, { projectId, content: Buffer.alloc(bytes, id) });

    /** One after the other, a second apart. */
    const putInTurn = async (payloads: readonly NewPayload[]): Promise<number> => {
      let evicted = 0;
      for (const each of payloads) {
        clock.pass(1_000);
        evicted += await store.put(each);
      }
      return evicted;
    };

    const kept = async (ids: readonly string[]): Promise<string[]> => {
      const found: string[] = [];
      for (const id of ids) if ((await store.get(id)) !== undefined) found.push(id);
      return found;
    };

    it('returns what was put, byte for byte, and nothing else', async () => {
      const contents = [
        Buffer.alloc(0),
        Buffer.from([0, 255, 10, 0]),
        Buffer.from('ü'),
        Buffer.alloc(99_000, 7),
      ];
      for (const [index, content] of contents.entries())
        await store.put(payload(`id-${index}`, { content, projectId: `p${index}` }));
      for (const [index, content] of contents.entries())
        expect(Buffer.from((await store.get(`id-${index}`)) as Uint8Array).equals(content)).to.equal(true);
      expect(await store.get('id')).to.equal(undefined);
    });

    it('changes nothing when a put is repeated, neither the content nor its time', async () => {
      await store.put(payload('a'));
      clock.pass(13 * day);
      expect(await store.put(payload('a', { content: Buffer.from('other') }))).to.equal(0);
      expect(String(await store.get('a'))).to.equal('content of a');
      clock.pass(day);
      expect(await store.get('a')).to.equal(undefined);
    });

    it('takes the same payload from many at once for one', async () => {
      const content = Buffer.alloc(40_000);
      await Promise.all(Array.from({ length: 20 }, () => store.put(payload('a', { content }))));
      // Counted once, it leaves room for another one.
      expect(await putInTurn([sized('b', 40_000)])).to.equal(0);
      expect(await kept(['a', 'b'])).to.eql(['a', 'b']);
    });

    it('removes payloads with any of their owners, with their project, and by their own id', async () => {
      const owners = ['app', 'room'];
      await store.put(payload('a', { owners }));
      await store.put(payload('b', { owners: ['app', 'other room'] }));
      await store.put(payload('c', { owners, projectId: 'q' }));
      await store.put(payload('d'));
      await store.put(payload('e'));
      const all = ['a', 'b', 'c', 'd', 'e'];
      expect(await store.removeOf(['unknown', 'roo', 'rooms'])).to.equal(0);
      expect(await kept(all)).to.eql(all);
      expect(await store.removeOf(['room'])).to.equal(2);
      expect(await kept(all)).to.eql(['b', 'd', 'e']);
      expect(await store.removeOf(['room', 'd', 'app'])).to.equal(2);
      expect(await kept(all)).to.eql(['e']);
      expect(await store.removeOf(['p', 'q'])).to.equal(1);
      expect(await kept(all)).to.eql([]);
    });

    it('removes many at once, and the room that they took', async () => {
      const ids = Array.from({ length: 600 }, (_, n) => `id-${n}`);
      const content = Buffer.alloc(160);
      for (let from = 0; from < ids.length; from += 40) {
        const some = ids.slice(from, from + 40);
        await Promise.all(some.map((id) => store.put(payload(id, { content, owners: ['app'] }))));
      }
      expect(await store.removeOf(['app'])).to.equal(600);
      expect(await kept(ids)).to.eql([]);
      expect(await putInTurn([sized('x', 50_000), sized('y', 50_000)])).to.equal(0);
    });

    it('keeps a payload for its retention and not a millisecond longer, pruned or not', async () => {
      await store.put(payload('a'));
      clock.pass(day);
      await store.put(payload('b'));
      clock.pass(13 * day - 1);
      expect(await store.prune()).to.eql({ expired: 0, evicted: 0 });
      expect(await kept(['a', 'b'])).to.eql(['a', 'b']);
      clock.pass(1);
      expect(await kept(['a', 'b'])).to.eql(['b']);
      expect(await store.prune()).to.eql({ expired: 1, evicted: 0 });
      expect(await store.prune()).to.eql({ expired: 0, evicted: 0 });
      clock.pass(day);
      expect(await store.prune()).to.eql({ expired: 1, evicted: 0 });
    });

    it('holds the quota of a project: the oldest go first, and those of others stay', async () => {
      await putInTurn([sized('other', 90_000, 'q')]);
      const ids = Array.from({ length: 50 }, (_, n) => `id-${n}`);
      const evicted = await putInTurn(ids.map((id) => sized(id, 10_000)));
      const left = await kept(ids);
      expect(left.length).to.be.within(9, 10);
      expect(left).to.eql(ids.slice(-left.length));
      expect(evicted).to.equal(ids.length - left.length);
      expect(await kept(['other'])).to.eql(['other']);
    });

    it('holds it under concurrent puts too', async () => {
      const ids = Array.from({ length: 100 }, (_, n) => `id-${n}`);
      await Promise.all(ids.map((id) => store.put(sized(id, 7_000))));
      expect((await kept(ids)).length).to.be.within(13, 14);
    });

    it('makes room for a payload as large as the quota, and does not keep a larger one', async () => {
      await putInTurn([sized('a', 10_000), sized('b', 10_000)]);
      expect(await putInTurn([sized('c', 100_001)])).to.equal(1);
      expect(await kept(['a', 'b', 'c'])).to.eql(['a', 'b']);
      expect(await putInTurn([sized('d', 100_000)])).to.equal(2);
      expect(await kept(['a', 'b', 'c', 'd'])).to.eql(['d']);
    });

    it('takes what has expired out of the quota', async () => {
      await putInTurn([sized('a', 60_000)]);
      clock.pass(14 * day);
      await store.prune();
      expect(await putInTurn([sized('b', 60_000)])).to.equal(0);
    });

    it('keeps everything when it is reopened, under the limits of then', async () => {
      await store.moveCheckpoint('0042');
      await putInTurn(['a', 'b', 'c', 'd'].map((id) => sized(id, 20_000)));
      limits = { ...limits, quotaBytes: 50_000 };
      store = await underTest.reopen();
      expect(store.limits).to.eql(limits);
      expect(await store.checkpoint()).to.equal('0042');
      expect(await kept(['a', 'b', 'c', 'd'])).to.eql(['a', 'b', 'c', 'd']);
      expect(await store.prune()).to.eql({ expired: 0, evicted: 2 });
      expect(await kept(['a', 'b', 'c', 'd'])).to.eql(['c', 'd']);
      limits = { ...limits, retentionMs: 1_000 };
      store = await underTest.reopen();
      expect(await kept(['c', 'd'])).to.eql(['d']);
    });

    it('holds a checkpoint, which may be moved back', async () => {
      expect(await store.checkpoint()).to.equal(undefined);
      for (const position of ['0001', '0003', '0002', undefined]) {
        await store.moveCheckpoint(position);
        expect(await store.checkpoint()).to.equal(position);
      }
    });

    it('keeps the origin of its checkpoint, as long as it has one', async () => {
      const origin = { log: 'first', position: '0003', event: 'third' };
      expect(await store.origin()).to.equal(undefined);
      await store.moveCheckpoint('0003', origin);
      await store.moveCheckpoint('0004');
      store = await underTest.reopen();
      expect(await store.origin()).to.eql(origin);
      await store.moveCheckpoint(undefined);
      expect(await store.origin()).to.equal(undefined);
    });

    it('rejects when it is closed', async () => {
      await store.close();
      const attempts = [
        store.put(payload('a')),
        store.get('a'),
        store.removeOf(['a']),
        store.prune(),
        store.checkpoint(),
        store.moveCheckpoint('1'),
      ];
      for (const attempt of attempts) {
        const error = await attempt.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).to.be.instanceOf(EngineUnavailable);
      }
    });
  });
};
