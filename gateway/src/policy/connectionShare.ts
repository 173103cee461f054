/** Live connections of an organization on one gateway. */
export interface GatewayCount {
  readonly gatewayId: string;
  readonly connections: number;
}

/**
 * How many connections a gateway has to close so that all together have `most`. Each gives in proportion to what it
 * has; what does not divide is settled by the largest remainder, and between equal ones by the identifier. So gateways
 * that go by the same counts close the excess exactly, without asking one another.
 */
export const excessOf = (gatewayId: string, counts: readonly GatewayCount[], most: number): number => {
  const total = counts.reduce((sum, { connections }) => sum + connections, 0);
  if (total <= most) return 0;
  const shares = counts.map(({ gatewayId: id, connections }) => ({
    id,
    connections,
    keeps: Math.floor((connections * most) / total),
    remainder: (connections * most) % total,
  }));
  const leftOver = most - shares.reduce((sum, { keeps }) => sum + keeps, 0);
  const byRemainder = shares.sort((a, b) => b.remainder - a.remainder || (a.id < b.id ? -1 : 1));
  const place = byRemainder.findIndex(({ id }) => id === gatewayId);
  const own = byRemainder[place];
  return own === undefined ? 0 : own.connections - own.keeps - (place < leftOver ? 1 : 0);
};
