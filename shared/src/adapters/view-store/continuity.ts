import { StaleBatch } from '../../ports/errors.js';
import type { LogPosition } from '../../ports/eventLog.js';
import type { ViewBatch } from '../../ports/viewStore.js';

/** Refuses a batch that repeats what is there, and one behind a gap, which would never be filled. */
export const assertContinues = (
  { position, after }: Pick<ViewBatch, 'position' | 'after'>,
  checkpoint: LogPosition | undefined,
): void => {
  const isRepeated = checkpoint !== undefined && position <= checkpoint;
  const isBehindGap = after !== undefined && (checkpoint === undefined || checkpoint < after);
  if (isRepeated || isBehindGap) throw new StaleBatch(position, checkpoint ?? 'of another projector');
};

/** Refuses to sweep before the deletion is part of the read models: the documents of its batch may not have been written yet. */
export const assertCovers = (checkpoint: LogPosition | undefined, deletedAt: LogPosition): void => {
  if (checkpoint === undefined || checkpoint < deletedAt)
    throw new StaleBatch(deletedAt, checkpoint ?? 'of another projector');
};
