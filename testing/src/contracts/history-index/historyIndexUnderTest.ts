import type { Clock } from '@roomwire/shared/ports/clock';
import type { HistoryIndex } from '@roomwire/shared/ports/historyIndex';
import type { ManualClock } from '../../fakes/manualClock.js';
import type { Reopenable } from '../reopenable.js';

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
