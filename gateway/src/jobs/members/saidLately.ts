import type { ReturnedJob } from '../queue/earlierReturns.js';

interface Said {
  readonly seq: number;
  /** Where it was given back: of which delivery, and when the next one is due, in monotonic milliseconds. */
  readonly returned?: { readonly delivery: number; readonly dueAt: number };
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** What a member has acknowledged or given back, and the owner of the group may not have stored: the next owner is told once more. */
export class SaidLately {
  private said: Said[] = [];
  /** What is before it is forgotten. */
  private begin = 0;

  get count(): number {
    return this.said.length - this.begin;
  }

  add(said: Said): void {
    this.said.push(said);
  }

  /** What was said before this time is stored. */
  forgetBefore(time: number): void {
    while ((this.said[this.begin]?.at ?? time) < time) this.begin++;
    if (this.begin > 1_000 || this.count === 0) this.said.splice(0, this.begin);
    else return;
    this.begin = 0;
  }

  /** All of it, which is said once more now. */
  repeat(now: number): { readonly settled: readonly number[]; readonly givenBack: readonly ReturnedJob[] } {
    this.said = this.behind(0).map((said) => ({ ...said, at: now }));
    this.begin = 0;
    return {
      settled: this.said.flatMap(({ seq, returned }) => (returned ? [] : [seq])),
      givenBack: this.said.flatMap(({ seq, returned }) =>
        returned ? [{ seq, delivery: returned.delivery, delayMs: leftOf(returned.dueAt, now) }] : [],
      ),
    };
  }

  /** Without the first so many. */
  behind(count: number): readonly Said[] {
    return this.said.slice(this.begin + count);
  }

  clear(): void {
    this.said = [];
    this.begin = 0;
  }
}

/** In whole milliseconds. */
export const leftOf = (dueAt: number, now: number): number => Math.ceil(Math.max(0, dueAt - now));
