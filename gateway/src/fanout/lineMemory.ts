import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';

/** What waits in the lines of all large rooms. Beyond it a line gives everything at once, and holds up the others meanwhile. */
export class LineMemory {
  private readonly limits: Pick<LimitReports, 'reached'>;
  private readonly most: number;
  private taken = 0;

  constructor(limits: Pick<LimitReports, 'reached'>, most: number = limitTable.fanOutMemory.value) {
    this.limits = limits;
    this.most = most;
  }

  get bytes(): number {
    return this.taken;
  }

  /** Returns whether it may wait; if not, it has to be given back at once. */
  take(bytes: number, projectId: string): boolean {
    this.taken += bytes;
    if (this.taken <= this.most) return true;
    this.limits.reached('fanOutMemory', { projectId });
    return false;
  }

  giveBack(bytes: number): void {
    this.taken -= bytes;
  }
}
