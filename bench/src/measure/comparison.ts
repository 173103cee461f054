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

export interface Peer<T> {
  readonly name: string;
  measure(round: number): Promise<T>;
}

/**
 * A, B, C; B, C, A; C, A, B …: what the machine does meanwhile meets every peer alike, the figures of one round stand
 * close to each other in time, and no peer is always first on a machine that is still warming up. The results are in
 * the order of the peers, whatever the order in which they were measured.
 */
export const inAlternation = async <T>(
  peers: readonly Peer<T>[],
  runs: number,
): Promise<readonly { readonly peer: string; readonly rounds: readonly T[] }[]> => {
  const results = peers.map((peer) => ({ peer, rounds: [] as T[] }));
  for (let round = 0; round < runs; round += 1) {
    const first = round % peers.length;
    for (const { peer, rounds } of [...results.slice(first), ...results.slice(0, first)])
      rounds.push(await peer.measure(round));
  }
  return results.map(({ peer, rounds }) => ({ peer: peer.name, rounds }));
};

/** NaN when there is nothing. */
export const median = (values: readonly number[]): number => {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const below = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const above = sorted[Math.floor(middle)] ?? Number.NaN;
  return (below + above) / 2;
};

export const figuresOf = (rounds: readonly Measurement[], name: string): readonly number[] =>
  rounds.map((round) => round[name] ?? Number.NaN);

/** The median of the ratios of each round, which is not the ratio of the medians: a slow minute cancels out. */
export const medianRatio = (row: Row, base: Row, name: string): number => {
  const bases = figuresOf(base.rounds, name);
  return median(figuresOf(row.rounds, name).map((value, round) => value / (bases[round] ?? Number.NaN)));
};
