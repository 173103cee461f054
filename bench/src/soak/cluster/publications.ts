import type { Phase } from './course.js';

export interface Publication {
  /** Its data, which rises with every publish of the run. */
  readonly number: number;
  readonly topic: string;
  /** When it should have been published, in milliseconds of the monotonic clock, and what the course was then. */
  readonly at: number;
  readonly phase: Phase | undefined;
  /** `refused`: it may have been published in spite of that. */
  outcome: 'open' | 'accepted' | 'refused';
}

/** All that was published in a run. */
export class Publications {
  private readonly all: Publication[] = [];

  begin(topic: string, phase: Phase | undefined, at: number): Publication {
    const begun: Publication = { number: this.all.length, topic, phase, at, outcome: 'open' };
    this.all.push(begun);
    return begun;
  }

  find(number: number): Publication | undefined {
    return this.all[number];
  }

  /** In the order in which it was published. */
  acceptedOf(topic: string): readonly number[] {
    return this.all
      .filter((publication) => publication.topic === topic && publication.outcome === 'accepted')
      .map(({ number }) => number);
  }

  get open(): number {
    return this.all.filter(({ outcome }) => outcome === 'open').length;
  }
}

/** What is wrong with the numbers that somebody got of a topic with one publisher, who is promised each accepted one once, in order. */
export const brokenPromises = (got: readonly number[], accepted: readonly number[]): readonly string[] => {
  const [asGot, asAccepted] = [new Set(got), new Set(accepted)];
  const ordered = got.filter((number) => asAccepted.has(number));
  return [
    ...lost(asGot, accepted),
    ...some(repeated(got), 'came twice'),
    ...some(
      ordered.filter((number, index) => number < (ordered[index - 1] ?? 0)),
      'came behind a later one',
    ),
  ];
};

/** Accepted ones that are not among those that somebody got. */
export const lost = (got: ReadonlySet<number>, accepted: readonly number[]): readonly string[] =>
  some(
    accepted.filter((number) => !got.has(number)),
    'lost',
  );

const repeated = (numbers: readonly number[]): readonly number[] => {
  const known = new Set<number>();
  return numbers.filter((number) => known.size === known.add(number).size);
};

const shownAtMost = 5;

const some = (numbers: readonly number[], what: string): readonly string[] =>
  numbers.length === 0
    ? []
    : [
        `${numbers.length} ${what}: ${numbers.slice(0, shownAtMost).join(', ')}${numbers.length > shownAtMost ? ', …' : ''}`,
      ];
