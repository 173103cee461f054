/**
 * Divides a total over so many ranks, the n-th of which gets a share in proportion to `n ** -exponent`. Whole numbers, whose sum is
 * the total.
 */
export const zipfCounts = (total: number, ranks: number, exponent: number): Int32Array => {
  const weights = Float64Array.from({ length: ranks }, (_, rank) => (rank + 1) ** -exponent);
  const sum = weights.reduce((before, weight) => before + weight, 0);
  const counts = new Int32Array(ranks);
  let [weighed, given] = [0, 0];
  for (const [rank, weight] of weights.entries()) {
    weighed += weight;
    // What is left over by one rank goes to the next.
    const upTo = rank === ranks - 1 ? total : Math.round((total * weighed) / sum);
    counts[rank] = upTo - given;
    given = upTo;
  }
  return counts;
};
