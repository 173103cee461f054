import { expect } from 'chai';
import {
  auditPositionOf,
  type AuditEntry,
  type AuditIndex,
  type AuditRange,
} from '@roomwire/shared/ports/auditIndex';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Reopenable } from './reopenable.js';

const at = (position: number): string => String(position).padStart(16, '0');

interface EntryFields {
  readonly organizationId?: string;
  readonly time?: number;
  readonly keys?: readonly string[];
  readonly data?: object;
}

const entry = (
  position: number,
  { organizationId = 'o', time = position * 1_000, keys = [], data = {} }: EntryFields = {},
): AuditEntry => ({
  event: {
    ...{ id: `event ${position}`, type: 'RoomUpdated', schemaVersion: 1, data },
    metadata: {
      occurredAt: new Date(time).toISOString(),
      ...{ organizationId, projectId: null, principal: 'system', requestId: 'r' },
    },
    ...{ stream: 's', revision: position, position: at(position) },
  },
  changed: [{ view: 'rooms', id: `room ${position}` }],
  keys,
});

const unread = (position: number, fields: EntryFields = {}): AuditEntry => ({
  ...entry(position, fields),
  ...{ changed: [], isUnread: true },
});

const positions = (entries: readonly AuditEntry[]): number[] =>
  entries.map(({ event }) => Number(event.position));

/** What every audit index promises. */
export const auditIndexContract = (name: string, open: () => Promise<Reopenable<AuditIndex>>): void => {
  describe(`the audit index on ${name}`, () => {
    let underTest: Reopenable<AuditIndex>;
    let index: AuditIndex;

    beforeEach(async () => {
      underTest = await open();
      index = underTest.store;
    });

    afterEach(() => underTest.dispose());

    const find = async (range: Partial<AuditRange> = {}) =>
      positions(await index.find({ organizationId: 'o', order: 'newest first', limit: 100, ...range }));

    it('is empty at first', async () => {
      expect(await find()).to.eql([]);
      expect(await index.checkpoint()).to.equal(undefined);
    });

    it('returns the entries of an organization unchanged, newest first or oldest first', async () => {
      const entries = [
        entry(1, { keys: ['a'] }),
        entry(2, { organizationId: 'p' }),
        entry(3, { data: { $x: { 'a.b': [1, null, '\0'] } } }),
      ];
      await index.record(entries, at(3));
      expect(await find()).to.eql([3, 1]);
      expect(await find({ order: 'oldest first' })).to.eql([1, 3]);
      expect(await find({ organizationId: 'p' })).to.eql([2]);
      const [first, second] = await index.find({ organizationId: 'o', order: 'oldest first', limit: 2 });
      expect([first, second]).to.eql([entries[0], entries[2]]);
    });

    it('finds entries by key', async () => {
      const long = 'x'.repeat(600);
      await index.record(
        [entry(1, { keys: ['a', 'b'] }), entry(2, { keys: ['b'] }), entry(3, { keys: [long, 'a b'] })],
        at(3),
      );
      expect(await find({ key: 'a' })).to.eql([1]);
      expect(await find({ key: 'b' })).to.eql([2, 1]);
      expect(await find({ key: long })).to.eql([3]);
      expect(await find({ key: 'a b' })).to.eql([3]);
      expect(await find({ key: 'c' })).to.eql([]);
    });

    it('finds entries within a period, both ends included, by time and then by log position', async () => {
      const times = [5_000, 3_000, 3_000, 4_000, 1_000];
      await index.record(
        times.map((time, n) => entry(n + 1, { time })),
        at(5),
      );
      expect(await find({ order: 'oldest first' })).to.eql([5, 2, 3, 4, 1]);
      expect(await find()).to.eql([1, 4, 3, 2, 5]);
      expect(await find({ from: 3_000, to: 4_000 })).to.eql([4, 3, 2]);
      expect(await find({ from: 3_001, to: 4_999 })).to.eql([4]);
      expect(await find({ to: 2_999, order: 'oldest first' })).to.eql([5]);
      expect(await find({ from: 5_001 })).to.eql([]);
    });

    for (const order of ['newest first', 'oldest first'] as const)
      it(`continues after an entry, ${order}`, async () => {
        const times = [1, 2, 2, 2, 3, 5, 5, 8];
        const all = times.map((time, n) => entry(n + 1, { time: time * 1_000, keys: ['k'] }));
        await index.record(all, at(8));
        const found: number[] = [];
        let after: AuditRange['after'];
        for (;;) {
          const page = await index.find({
            ...{ organizationId: 'o', key: 'k', order, limit: 3, after },
            ...{ from: 2_000, to: 5_000 },
          });
          const last = page.at(-1);
          if (last === undefined) break;
          found.push(...positions(page));
          after = auditPositionOf(last.event);
        }
        expect(found).to.eql(order === 'oldest first' ? [2, 3, 4, 5, 6, 7] : [7, 6, 5, 4, 3, 2]);
      });

    it('stays within the requested period, wherever it continues', async () => {
      await index.record(
        [1, 2, 3, 4].map((n) => entry(n)),
        at(4),
      );
      const [from, to] = [2_000, 3_000];
      const beyond = { time: 9_000, position: at(9) };
      expect(await find({ from, to, after: beyond })).to.eql([3, 2]);
      const before = { time: 1, position: at(1) };
      expect(await find({ from, to, after: before, order: 'oldest first' })).to.eql([2, 3]);
    });

    it('accepts the same entries again, and does not move back', async () => {
      await index.record([entry(1), entry(2)], at(2));
      await index.record([entry(1)], at(1));
      await index.record([entry(2), entry(3)], at(3));
      expect(await find()).to.eql([3, 2, 1]);
      await index.record([entry(1), entry(2)], at(2));
      expect(await index.checkpoint()).to.equal(at(3));
    });

    it('puts a read entry in the place of an unread one, and never the other way round', async () => {
      const read = [entry(1, { keys: ['a'] }), entry(2, { keys: ['a'] })];
      await index.record([entry(1, { keys: ['a'] }), unread(2)], at(2));
      await index.record([unread(1), unread(2)], at(2));
      expect(await find({ key: 'a' })).to.eql([1]);
      expect(await index.findUnread(undefined, 10)).to.eql([unread(2)]);
      await index.record(read, at(2));
      expect(await index.find({ organizationId: 'o', key: 'a', order: 'oldest first', limit: 10 })).to.eql(
        read,
      );
      expect(await index.findUnread(undefined, 10)).to.eql([]);
    });

    it('has the unread entries of all organizations in log order, until it is cleared', async () => {
      await index.record(
        [unread(1, { time: 9_000 }), entry(2), unread(3, { organizationId: 'p' }), unread(4)],
        at(4),
      );
      expect(positions(await index.findUnread(undefined, 2))).to.eql([1, 3]);
      index = await underTest.reopen();
      expect(positions(await index.findUnread(at(3), 2))).to.eql([4]);
      expect(await find({ order: 'oldest first' })).to.eql([2, 4, 1]);
      await index.clear();
      expect(await index.findUnread(undefined, 2)).to.eql([]);
    });

    it('keeps the origin that was recorded last, until it is cleared', async () => {
      const origin = { log: 'first', position: at(2), event: 'event 2' };
      expect(await index.origin()).to.equal(undefined);
      await index.record([entry(1), entry(2)], at(2), origin);
      await index.record([entry(3)], at(3));
      index = await underTest.reopen();
      expect(await index.origin()).to.eql(origin);
      await index.clear();
      expect(await index.origin()).to.equal(undefined);
    });

    it('returns large entries in parts', async () => {
      const data = { text: 'x'.repeat(1_500_000) };
      await index.record(
        [1, 2, 3, 4].map((n) => entry(n, { data })),
        at(4),
      );
      const first = await find();
      expect(first).to.have.length.within(1, 3);
      expect(first[0]).to.equal(4);
    });

    it('reports when it has reached a position', async () => {
      await index.record([entry(1)], at(1));
      expect(await index.reached(at(1), 0)).to.equal(true);
      expect(await index.reached(at(2), 10)).to.equal(false);
      const reached = index.reached(at(2), 5_000);
      await index.record([], at(2));
      expect(await reached).to.equal(true);
    });

    it('keeps everything when it is reopened, until it is cleared', async () => {
      await index.record([entry(1, { keys: ['a'] })], at(1));
      index = await underTest.reopen();
      expect(await find({ key: 'a' })).to.eql([1]);
      expect(await index.checkpoint()).to.equal(at(1));
      await index.clear();
      expect([await find(), await find({ key: 'a' }), await index.checkpoint()]).to.eql([[], [], undefined]);
      await index.record([entry(1, { keys: ['a'] })], at(1));
      expect(await find({ key: 'a' })).to.eql([1]);
    });

    it('rejects when it is closed', async () => {
      await index.close();
      for (const attempt of [
        find(),
        index.findUnread(undefined, 1),
        index.record([entry(1)], at(1)),
        index.checkpoint(),
        index.clear(),
      ]) {
        const error = await attempt.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).to.be.instanceOf(EngineUnavailable);
      }
    });
  });
};
