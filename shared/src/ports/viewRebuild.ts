import type { ViewBatch, ViewChange } from './viewStore.js';

/**
 * Read models that are built anew beside the live ones, to take their place. Until they do, nobody reads them, and
 * whatever ends the building leaves the live ones as they are. All methods reject with `RebuildSuperseded` once another
 * rebuild of the same read models has begun, or they have been cleared.
 */
export interface ViewRebuild {
  /** Applies the changes in order, from the first event of the log on. A batch that failed may be repeated. */
  apply(batch: ViewBatch): Promise<void>;

  /**
   * Resolves true once they are live, with these changes on top; false where the live ones are at another position, and
   * then the projector may be kept waiting for a moment, so that it is worth while to catch up and to try again.
   * No reader sees anything older than before, no batch of the projector is lost, and the last uses and the usage stay.
   * Readers in other processes go on with the documents of before, which are kept up to date, for seconds at most.
   */
  takeOver(changes: readonly ViewChange[]): Promise<boolean>;

  /** Removes what was built, unless it has become live. */
  abandon(): Promise<void>;
}
