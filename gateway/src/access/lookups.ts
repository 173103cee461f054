import { workSlices } from '@roomwire/shared/runtime/workSlices';

/** What one request may look at, in slices between which the event loop runs. */
export class Lookups {
  private readonly max: number;
  private readonly slices = workSlices();
  private count = 0;
  private hasEnded = false;

  constructor(max: number) {
    this.max = max;
  }

  /** Whether so much more may be looked at; once it may not, nothing may. */
  async look(cost: number): Promise<boolean> {
    await this.pause();
    if (this.count + cost > this.max) this.hasEnded = true;
    if (!this.hasEnded) this.count += cost;
    return !this.hasEnded;
  }

  /** Between two steps of the work. */
  async pause(): Promise<void> {
    if (this.slices.isOver()) await this.slices.next();
  }

  get looked(): number {
    return this.count;
  }

  /** Whether more was wanted than one request may look at. */
  get isExhausted(): boolean {
    return this.hasEnded;
  }
}
