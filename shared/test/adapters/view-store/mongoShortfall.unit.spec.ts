import { expect } from 'chai';
import { LiveGeneration } from '../../../src/adapters/view-store/mongo/liveGeneration.js';
import type { Progress } from '../../../src/adapters/view-store/mongo/progress.js';
import { longestShortfallMs, Shortfall } from '../../../src/adapters/view-store/mongo/shortfall.js';
import type { ViewGeneration } from '../../../src/adapters/view-store/mongo/viewCollections.js';
import { EngineUnavailable } from '../../../src/ports/errors.js';

describe('what read models lack', () => {
  let shortfall: Shortfall;
  beforeEach(() => {
    shortfall = new Shortfall();
    shortfall.look({ position: '3', known: '3' }, 1_000);
  });
  const tooLongAt = (times: readonly number[]): boolean[] => times.map((now) => shortfall.isTooLong(now));

  it('may be lacking for ten seconds since the last look that did not show it', () => {
    shortfall.look({ position: '3', known: '5' }, 2_000);
    shortfall.look({ position: '4', known: '8' }, 9_000);
    expect(tooLongAt([2_000, 10_999, 11_000])).to.eql([false, false, true]);
    shortfall.look({ position: '5', known: '8' }, 12_000);
    // The rest may have been lacking since the look before.
    expect(tooLongAt([12_000, 18_999, 19_000])).to.eql([false, false, true]);
    shortfall.look({ position: '8', known: '8' }, 20_000);
    expect(tooLongAt([60_000])).to.eql([false]);
  });

  it('is too much at once for a process that is new, or was suspended', () => {
    const begun = new Shortfall();
    begun.look({ position: '3', known: '4' }, 5_000);
    expect(begun.isTooLong(5_000)).to.equal(true);
    shortfall.look({ position: '3', known: '4' }, 1_000 + longestShortfallMs);
    expect(shortfall.isTooLong(1_000 + longestShortfallMs)).to.equal(true);
  });

  it('is nothing where nobody tells how far the log goes', () => {
    shortfall.look({ position: '3' }, 2_000);
    expect(tooLongAt([90_000])).to.eql([false]);
  });

  it('is forgotten with a log that was put back', () => {
    shortfall.look({ position: '3', known: '9' }, 2_000);
    shortfall.look({ position: '4', known: '4' }, 20_000);
    expect(tooLongAt([90_000])).to.eql([false]);
  });

  describe('as readers meet it', () => {
    let now: number;
    let progress: Progress;
    const present = (): boolean => false;
    const readerOf = (mayBeLeftBehind: boolean): LiveGeneration =>
      new LiveGeneration({
        readProgress: async () => progress,
        generation: (number) => ({ number }) as ViewGeneration,
        now: () => now,
        mayBeLeftBehind,
      });
    const outcomeOf = (reader: LiveGeneration): Promise<unknown> =>
      reader.read(async ({ number }) => number, present).catch((error: unknown) => error);

    beforeEach(() => {
      now = 0;
      progress = { _id: 'projector', term: 1, position: '3' };
    });

    it('ends their reads after ten seconds, until it is written', async () => {
      const reader = readerOf(false);
      expect(await outcomeOf(reader)).to.equal(0);
      progress = { ...progress, known: '4' };
      for (now = 2_000; now < longestShortfallMs; now += 2_000) {
        await reader.progress();
        expect(await outcomeOf(reader)).to.equal(0);
      }
      expect(await outcomeOf(reader)).to.be.instanceOf(EngineUnavailable);
      expect([reader.isLeftBehind, await reader.admitsReaders()]).to.eql([true, false]);
      progress = { ...progress, position: '4' };
      expect(await outcomeOf(reader)).to.equal(0);
      expect([reader.isLeftBehind, await reader.admitsReaders()]).to.eql([false, true]);
    });

    it('does not end those of the projector that is to write it', async () => {
      progress = { ...progress, known: '4' };
      const projector = readerOf(true);
      expect(await outcomeOf(projector)).to.equal(0);
      expect([projector.isLeftBehind, await projector.admitsReaders()]).to.eql([false, true]);
    });

    it('ends those of read models that were set aside', async () => {
      progress = { ...progress, isSetAside: true };
      const reader = readerOf(false);
      for (const each of [reader, readerOf(true)])
        expect(await outcomeOf(each)).to.be.instanceOf(EngineUnavailable);
      expect(reader.isLeftBehind).to.equal(true);
    });
  });
});
