import type { LogPosition } from '../../../ports/eventLog.js';
import type { Progress } from './progress.js';

/** Longer than another projector of the same version takes to follow one that was killed. */
export const longestShortfallMs = 10_000;

/**
 * How long read models have lacked an event. Projectors of other versions tell how far the log goes; where nobody writes these read models,
 * a right that was revoked is still in them.
 */
export class Shortfall {
  /** A position that the log has, and when the read models may have begun to lack it. */
  private missing: { readonly position: LogPosition; readonly since: number } | undefined;
  private lookedAt = -Infinity;

  /** `at`: when the progress was asked for. */
  look({ position, known }: Partial<Progress>, at: number): void {
    const has = (wanted: LogPosition): boolean => position !== undefined && wanted <= position;
    // What is known goes back only where the log itself was put back.
    const isOver = ({ position: wanted }: { readonly position: LogPosition }): boolean =>
      has(wanted) || known === undefined || known < wanted;
    if (this.missing !== undefined && isOver(this.missing)) this.missing = undefined;
    // Nobody knows what it lacked before the last look, which a process that was suspended took long ago, and a new one never.
    if (this.missing === undefined && known !== undefined && !has(known))
      this.missing = { position: known, since: this.lookedAt };
    this.lookedAt = at;
  }

  isTooLong(now: number): boolean {
    return this.missing !== undefined && now - this.missing.since >= longestShortfallMs;
  }
}
