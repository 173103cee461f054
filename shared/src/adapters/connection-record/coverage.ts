import type { RecordCoverage, TimeSpan } from '../../ports/connectionRecord.js';
import { standingMs } from '../../wire/bus/connectionFacts.js';
import type { FoldedGateway } from './gatewayFold.js';

/** `forgottenUpTo`: the time of the latest fact that was removed for its age. */
export const coverageOf = (
  gateways: readonly FoldedGateway[],
  forgottenUpTo: number | undefined,
  { from, to }: TimeSpan,
): RecordCoverage => ({
  // Whatever was so before and has not ended has been told of anew since.
  knownFrom: forgottenUpTo === undefined ? 0 : forgottenUpTo + standingMs,
  gateways: gateways
    .filter(({ startedAt, endedBy }) => startedAt <= to && (endedBy === null || endedBy >= from))
    .map(({ gateway, startedAt, knownUpTo, end, endedBy, gaps, handOutGaps }) => ({
      ...{ gateway, startedAt, knownUpTo, end, endedBy },
      gaps: gaps.filter(isIn({ from, to })),
      handOutGaps: handOutGaps.filter(isIn({ from, to })),
    })),
});

const isIn =
  ({ from, to }: TimeSpan) =>
  (span: TimeSpan): boolean =>
    span.from <= to && span.to >= from;
