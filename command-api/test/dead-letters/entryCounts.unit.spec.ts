import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { EntryCounts } from '../../src/dead-letters/entryCounts.js';

interface Counting {
  readonly found: (entries: number) => void;
  readonly failed: (error: Error) => void;
}

describe('[HOOK-DLQ-4] the estimated number of dead letters of a project', () => {
  let clock: ManualClock;
  let countings: Counting[];
  let counts: EntryCounts;

  beforeEach(() => {
    [clock, countings] = [new ManualClock(), []];
    const count = (): Promise<number> =>
      new Promise((found, failed) => {
        countings.push({ found, failed });
      });
    counts = new EntryCounts({ views: { count }, clock, limits: { reached: () => undefined } });
  });

  it('is counted once in ten seconds, and includes what was added since', async () => {
    const first = counts.of('p');
    counts.added('p');
    countings[0]?.found(7);
    expect(await first).to.equal(8);
    counts.added('p');
    expect(await counts.of('p')).to.equal(9);
    clock.pass(10_000);
    const next = counts.of('p');
    countings[1]?.found(9);
    expect(await next).to.equal(9);
    expect(countings).to.have.length(2);
  });

  it('is counted again after a failure', async () => {
    const failed = counts.of('p').catch((error: unknown) => error);
    countings[0]?.failed(new EngineUnavailable('read models'));
    expect(await failed).to.be.instanceOf(EngineUnavailable);
    const next = counts.of('p');
    countings[1]?.found(3);
    expect(await next).to.equal(3);
  });

  it('is not lost when an earlier count fails late', async () => {
    const late = counts.of('p').catch(() => undefined);
    clock.pass(10_000);
    const next = counts.of('p');
    counts.added('p');
    countings[1]?.found(3);
    expect(await next).to.equal(4);
    countings[0]?.failed(new EngineUnavailable('read models'));
    await late;
    const known = counts.of('p');
    expect(countings).to.have.length(2);
    expect(await known).to.equal(4);
  });
});
