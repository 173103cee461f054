import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { AccessEntry, AccessLog, AccessLogLimits } from '@roomwire/shared/ports/accessLog';
import type { Clock } from '@roomwire/shared/ports/clock';
import { placeOf } from '@roomwire/shared/wire/accessPlaces';
import { ManualClock } from '../fakes/manualClock.js';
import type { Reopenable } from './reopenable.js';

export type OpenAccessLog = (limits: () => AccessLogLimits, clock: Clock) => Promise<Reopenable<AccessLog>>;

const minuteMs = 60_000;

/** What every adapter of the `AccessLog` port guarantees. */
export const accessLogContract = (name: string, open: OpenAccessLog): void => {
  describe(`access log: ${name}`, () => {
    let clock: ManualClock;
    let opened: Reopenable<AccessLog>;
    let log: AccessLog;
    let limits: AccessLogLimits;
    const start = Date.parse('2026-05-01T12:00:00.000Z');

    beforeEach(async () => {
      clock = new ManualClock(start);
      limits = { retentionMs: 60 * minuteMs, entriesPerOrganization: 100 };
      opened = await open(() => limits, clock);
      log = opened.store;
    });
    afterEach(() => opened.dispose());

    const entry = (minute: number, digest: string, fields: Partial<AccessEntry> = {}): AccessEntry => ({
      ...{ organizationId: 'o1', projectId: null, principal: 'apiKey:a', address: '10.0.0.1', method: 'GET' },
      ...{ route: '/v1/apps', status: 403, reason: 'permission_missing', count: 1 },
      at: start + minute * minuteMs,
      place: placeOf(start + minute * minuteMs, digest),
      ...fields,
    });
    const all = (organizationId = 'o1') => log.find({ organizationId, limit: 1_000 });

    it('returns the entries of an organization, newest first', async () => {
      const other = entry(1, 'a', { organizationId: 'o2' });
      const [first, second, third] = [entry(0, 'a'), entry(1, 'a', { projectId: 'p1' }), entry(1, 'b')];
      await log.record([second, other, first]);
      await log.record([third]);
      expect(await all()).to.deep.equal([third, second, first]);
      expect(await all('o2')).to.deep.equal([other]);
      expect(await all('o3')).to.deep.equal([]);
    });

    it('adds up what is recorded in one place, and keeps the first', async () => {
      const at = entry(0, 'a').at + 20_000;
      await log.record([entry(0, 'a', { at, count: 2 })]);
      await log.record([entry(0, 'a', { at: at + 10_000, count: 3 })]);
      expect(await all()).to.deep.equal([entry(0, 'a', { at, count: 5 })]);
      await log.record([entry(0, 'a', { at: at - 10_000 })]);
      expect(await all()).to.deep.equal([entry(0, 'a', { at: at - 10_000, count: 6 })]);
    });

    it('returns pages between two places, which are excluded', async () => {
      const entries = Array.from({ length: 10 }, (_, minute) => entry(minute, 'a'));
      await log.record(entries);
      const page = (from: number | undefined, to: number | undefined, limit = 1_000) =>
        log.find({
          organizationId: 'o1',
          after: from === undefined ? undefined : entries[from]?.place,
          before: to === undefined ? undefined : entries[to]?.place,
          limit,
        });
      const newestFirst = (from: number, to: number) => entries.slice(from, to).toReversed();
      expect(await page(undefined, undefined, 3)).to.deep.equal(newestFirst(7, 10));
      expect(await page(undefined, 7, 3)).to.deep.equal(newestFirst(4, 7));
      expect(await page(undefined, 4)).to.deep.equal(newestFirst(0, 4));
      expect(await page(2, 5)).to.deep.equal(newestFirst(3, 5));
      expect(await page(2, undefined, 100)).to.deep.equal(newestFirst(3, 10));
    });

    it('removes the oldest entries of an organization beyond its number, and of no other', async () => {
      await log.record([entry(0, 'a', { organizationId: 'o2' })]);
      const entries = Array.from({ length: 130 }, (_, minute) => entry(minute, 'a'));
      expect(await log.record(entries.slice(0, 90))).to.equal(0);
      expect(await log.record(entries.slice(90))).to.equal(30);
      expect(await log.record([entry(129, 'a')])).to.equal(0);
      const left = await all();
      expect(left).to.have.length(100);
      expect(left.at(-1)?.place).to.equal(entries[30]?.place);
      expect(await all('o2')).to.have.length(1);
    });

    it('removes what is older than its retention', async () => {
      await log.record([entry(0, 'a'), entry(0, 'a', { organizationId: 'o2' }), entry(30, 'a')]);
      expect(await log.prune()).to.equal(0);
      clock.pass(70 * minuteMs);
      expect(await log.prune()).to.equal(2);
      expect(await all()).to.deep.equal([entry(30, 'a')]);
      expect(await all('o2')).to.deep.equal([]);
      expect(await log.prune()).to.equal(0);
    });

    it('counts right after entries went', async () => {
      await log.record(Array.from({ length: 90 }, (_, index) => entry(0, String(index))));
      clock.pass(70 * minuteMs);
      await log.prune();
      await log.record(Array.from({ length: 99 }, (_, index) => entry(70, String(index))));
      expect(await all()).to.have.length(99);
    });

    it('adds to one entry from many writers at once', async () => {
      await Promise.all(Array.from({ length: 20 }, () => log.record([entry(0, 'a'), entry(0, 'b')])));
      expect((await all()).map(({ count }) => count)).to.deep.equal([20, 20]);
    });

    it('keeps its entries when it is closed and opened again', async () => {
      await log.record([entry(0, 'a'), entry(1, 'a')]);
      log = await opened.reopen();
      expect(await all()).to.deep.equal([entry(1, 'a'), entry(0, 'a')]);
    });

    it('refuses everything when it is closed', async () => {
      await log.close();
      for (const call of [log.record([entry(0, 'a')]), log.find({ organizationId: 'o1', limit: 1 })])
        expect(
          await call.then(
            () => undefined,
            (error: unknown) => error,
          ),
        ).to.be.instanceOf(EngineUnavailable);
    });
  });
};
