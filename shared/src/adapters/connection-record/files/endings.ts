import { lostEnd, unrecordedEnd, type FoldedConnection } from '../connectionFold.js';
import type { FoldedBatch, FoldedGateway, UnsettledGap } from '../gatewayFold.js';

/** A gateway with the ends that nobody saw: those of all its connections without a fact since. */
export interface EndingGateway extends FoldedGateway {
  /** By place. */
  readonly ends: readonly UnsettledGap[];
}

/** So many are kept apart; the oldest become one. */
const mostEnds = 100;

export const endingGateway = (
  known: EndingGateway | undefined,
  { gateway, ended }: FoldedBatch,
): EndingGateway => {
  const ends = [...(known?.ends ?? []), ...(ended === undefined ? [] : [ended])];
  const [first, second, ...others] = ends;
  if (ends.length <= mostEnds || first === undefined || second === undefined) return { ...gateway, ends };
  return { ...gateway, ends: [{ ...second, from: first.from }, ...others] };
};

/** A connection as its gateway says that it is: the end of one follows from that of the other. */
export const endedWith = (
  connection: FoldedConnection,
  gateway: EndingGateway | undefined,
): FoldedConnection => {
  if (connection.closed !== null || gateway === undefined) return connection;
  const end = gateway.ends.find(({ place }) => connection.last < place);
  if (end !== undefined) return { ...connection, closed: unrecordedEnd(end.from, end.to) };
  if (gateway.end !== 'lost') return connection;
  const { knownUpTo, endedBy } = gateway;
  return { ...connection, closed: lostEnd(knownUpTo, endedBy ?? knownUpTo) };
};
