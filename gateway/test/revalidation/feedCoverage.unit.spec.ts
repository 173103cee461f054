import { expect } from 'chai';
import fc from 'fast-check';
import type { FeedSpan } from '@roomwire/shared/wire/bus/feedSpans';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { FeedCoverage } from '../../src/revalidation/feedCoverage.js';

const viewsVersion = 5;
const at = (position: number): string => (position === 0 ? '' : String(position).padStart(6, '0'));
const span = (after: number, upTo: number, events = upTo - after): FeedSpan => ({
  ...{ viewsVersion, events },
  ...{ after: at(after), upTo: at(upTo) },
});

describe('how far the feed of events has been received', () => {
  let clock: ManualClock;
  let coverage: FeedCoverage;

  beforeEach(() => {
    clock = new ManualClock();
    coverage = new FeedCoverage(clock, viewsVersion);
  });

  const receive = (...positions: readonly number[]): void => {
    for (const position of positions) coverage.received(at(position));
  };
  /** As it is proven by the projector, which says that there is nothing new. */
  const proves = async (after: number, upTo: number, quietAt = upTo): Promise<boolean> => {
    const proof = coverage.proves(at(after), at(upTo), 5);
    coverage.said(span(quietAt, quietAt));
    return proof;
  };

  it('proves nothing before a projector has said anything', async () => {
    receive(1, 2);
    expect(await coverage.proves(at(0), at(2), 5)).to.equal(false);
  });

  it('proves what whole spans cover, from any position in them on', async () => {
    receive(1, 2, 3);
    coverage.said(span(0, 2));
    coverage.said(span(2, 3));
    for (const after of [0, 1, 2, 3]) expect(await proves(after, 3), `after ${after}`).to.equal(true);
  });

  it('proves nothing of what was before the first span, and nothing backwards', async () => {
    coverage.said(span(5, 5));
    expect(await proves(4, 5)).to.equal(false);
    expect(await proves(6, 5)).to.equal(false);
    expect(await proves(5, 5)).to.equal(true);
  });

  it('counts events that come behind their span, in any order, and second copies once', async () => {
    coverage.said(span(0, 3));
    receive(3, 1, 3, 1);
    expect(await proves(0, 3)).to.equal(false);
    receive(2);
    expect(await proves(0, 3)).to.equal(true);
  });

  it('lacks a lost event: what is behind it begins anew once it is given up', async () => {
    coverage.said(span(0, 0));
    receive(1, 3);
    coverage.said(span(0, 2));
    coverage.said(span(2, 3));
    expect(await proves(0, 3)).to.equal(false);
    clock.pass(10_000);
    expect(await proves(0, 3)).to.equal(false);
    expect(await proves(1, 3)).to.equal(false);
    expect(await proves(2, 3)).to.equal(true);
  });

  it('lacks what a lost span would have said', async () => {
    receive(1, 2, 3);
    coverage.said(span(0, 1));
    coverage.said(span(2, 3));
    expect(await proves(0, 3)).to.equal(false);
    expect(await proves(1, 3)).to.equal(false);
    expect(await proves(2, 3)).to.equal(true);
  });

  it('does not prove what the read models hold beyond the last span', async () => {
    receive(1);
    coverage.said(span(0, 1));
    expect(await proves(1, 2, 1)).to.equal(false);
  });

  it('needs a projector that says something during the call: one that stands still may be amid a batch', async () => {
    receive(1);
    coverage.said(span(0, 1));
    expect(await coverage.proves(at(0), at(1), 5)).to.equal(false);
  });

  it('needs more than what a former projector says late', async () => {
    receive(1, 2);
    coverage.said(span(0, 2));
    expect(await proves(0, 2, 1)).to.equal(false);
  });

  it('waits for the batch that is on its way', async () => {
    coverage.said(span(0, 0));
    const proof = coverage.proves(at(0), at(2), 1_000);
    coverage.said(span(0, 1));
    receive(1);
    receive(2);
    coverage.said(span(1, 2));
    expect(await proof).to.equal(true);
  });

  it('takes the span of a projector that takes over, which feeds again what was not confirmed', async () => {
    receive(1, 2, 3);
    coverage.said(span(0, 2));
    coverage.said(span(2, 3));
    receive(2, 3, 4);
    coverage.said(span(1, 4));
    expect(await proves(0, 4)).to.equal(true);
  });

  it('does not take the second copy of one event for another that is lost', async () => {
    receive(1, 2);
    coverage.said(span(0, 2));
    receive(2);
    coverage.said(span(1, 4));
    receive(1, 2, 3, 2);
    expect(await proves(2, 4)).to.equal(false);
    receive(4);
    expect(await proves(2, 4)).to.equal(true);
  });

  it('begins anew when it is told to, and while projectors of another version feed as well', async () => {
    coverage.said(span(1, 1));
    coverage.restart();
    expect(await coverage.proves(at(1), at(1), 5)).to.equal(false);
    coverage.said(span(1, 1));
    expect(await proves(1, 1)).to.equal(true);
    const proof = coverage.proves(at(1), at(1), 5);
    coverage.said({ ...span(1, 1), viewsVersion: viewsVersion + 1 });
    expect(await proof).to.equal(false);
  });

  it('forgets events of which no span ever tells', async () => {
    coverage.said(span(0, 0));
    for (let n = 1; n <= 20_001; n += 1) receive(n);
    expect(await proves(0, 20_001, 0)).to.equal(false);
  });

  it('never proves what holds a lost event, and in the end everything that holds none', async () => {
    const batches = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 12 });
    const fault = fc.constantFrom('event', 'span', 'none');
    await fc.assert(
      fc.asyncProperty(batches, fault, fc.nat(), fc.nat(), async (sizes, lost, which, seed) => {
        clock = new ManualClock();
        coverage = new FeedCoverage(clock, viewsVersion);
        const spans: FeedSpan[] = [];
        let end = 0;
        for (const size of sizes) spans.push(span(end, (end += Math.max(size, 1)), size));
        const eventsOf = ({ upTo, events }: FeedSpan) =>
          Array.from({ length: events }, (_, index) => Number(upTo) - index);
        const events = spans.flatMap(eventsOf);
        const lostEvent = lost === 'event' ? events[which % Math.max(events.length, 1)] : undefined;
        const lostSpan = lost === 'span' ? spans[which % spans.length] : undefined;

        // Spans in order, events of three partitions in theirs, interleaved by the seed; every fifth event comes twice.
        const lanes: (() => void)[][] = [[], [], [], []];
        for (const each of spans) if (each !== lostSpan) lanes[0]?.push(() => coverage.said(each));
        for (const event of [...events].sort((a, b) => a - b)) {
          if (event === lostEvent) continue;
          for (let copy = 0; copy < (event % 5 === 0 ? 2 : 1); copy += 1)
            lanes[1 + (event % 3)]?.push(() => receive(event));
        }
        let state = seed;
        for (let left = lanes.filter((lane) => lane.length > 0); left.length > 0;) {
          state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
          left[(state >>> 16) % left.length]?.shift()?.();
          left = lanes.filter((lane) => lane.length > 0);
        }

        clock.pass(10_000);
        // It is the next thing said that ends what is waited for too long.
        coverage.said(span(end, end));
        const holdsLost = (each: FeedSpan) => lostEvent !== undefined && eventsOf(each).includes(lostEvent);
        const gap = lostSpan ?? spans.find(holdsLost);
        for (let after = 0; after <= end; after += 1) {
          const isBehindGap = gap === undefined || at(after) >= gap.upTo;
          expect(await proves(after, end), `after ${after}`).to.equal(isBehindGap);
        }
      }),
      { numRuns: 300, seed: 21 },
    );
  });
});
