export type Unit =
  'count' | 'share' | 'rate' | 'milliseconds' | 'microseconds' | 'percent' | 'kilobytes' | 'megabytes';

/** One column: what is measured of every peer in every round. */
export interface Figure {
  readonly name: string;
  /** Its heading. */
  readonly label: string;
  readonly unit: Unit;
}

/** The figures of one peer in one round, by the name of the figure. A figure may be missing: not measurable here. */
export type Measurement = Readonly<Record<string, number>>;

export interface Row {
  readonly peer: string;
  readonly rounds: readonly Measurement[];
}

/** Peers doing the same work in the same run. */
export interface Comparison {
  readonly title: string;
  /** The first figure is the one by which the peers are compared. */
  readonly figures: readonly [Figure, ...Figure[]];
  /** The first row is Roomwire. */
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
}
