import { expect } from 'chai';
import { ManualClock } from '../../fakes/manualClock.js';
import { historyAppendContract } from './appends.js';
import type { HistoryIndexSetting, OpenHistoryIndex } from './historyIndexUnderTest.js';
import { historyPageContract } from './pages.js';
import { historyPropertyContract } from './property.js';
import { historyRemovalContract } from './removal.js';
import { historyStateContract } from './state.js';

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
