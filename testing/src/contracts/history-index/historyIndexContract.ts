import { expect } from 'chai';
import type { HistoryIndex } from '@roomwire/shared/ports/historyIndex';
import type { Clock } from '@roomwire/shared/ports/clock';
import { ManualClock } from '../../fakes/manualClock.js';
import type { Reopenable } from '../reopenable.js';
import { historyAppendContract } from './appends.js';
import { historyPageContract } from './pages.js';
import { historyPropertyContract } from './property.js';
import { historyRemovalContract } from './removal.js';
import { historyStateContract } from './state.js';

export interface HistoryIndexUnderTest extends Reopenable<HistoryIndex> {
  /** Another one on the same data, as another process has it; the one who asks closes it. */
  readonly beside: () => Promise<HistoryIndex>;
}

export type OpenHistoryIndex = (clock: Clock) => Promise<HistoryIndexUnderTest>;

/** What a group of rules is tested with, anew for each test. */
export interface HistoryIndexSetting {
  readonly clock: ManualClock;
  readonly underTest: HistoryIndexUnderTest;
  readonly index: HistoryIndex;
}

/** What every history index promises. */
export const historyIndexContract = (name: string, open: OpenHistoryIndex): void => {
  describe(`the history index on ${name}`, () => {
    let setting: HistoryIndexSetting | undefined;

    beforeEach(async () => {
      const clock = new ManualClock();
      const underTest = await open(clock);
      setting = { clock, underTest, index: underTest.store };
    });
    afterEach(() => setting?.underTest.dispose());

    const current = (): HistoryIndexSetting => {
      expect(setting).not.to.equal(undefined);
      return setting as HistoryIndexSetting;
    };
    historyAppendContract(current);
    historyPageContract(current);
    historyRemovalContract(current);
    historyStateContract(current);
    historyPropertyContract(current);
  });
};
