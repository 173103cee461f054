import type { GatewayLife, TimeSpan } from '../../ports/connectionRecord.js';
import type { FactBatch } from '../../wire/bus/connectionFacts.js';
import { placeOfBatch } from '../../wire/connectionPlaces.js';

/** A gateway, with how far its batches are folded into it. */
export interface FoldedGateway extends GatewayLife {
  /** Of its last batch. */
  readonly number: number;
  /** The last gap, while not every open connection has been told of since. */
  readonly unsettled: UnsettledGap | null;
}

export interface UnsettledGap extends TimeSpan {
  /** What was written before this place may be out of date. */
  readonly place: string;
}

export interface FoldedBatch {
  readonly gateway: FoldedGateway;
  /** It was taken for lost: its connections go on. */
  readonly isBack: boolean;
  /** Open connections whose last fact is before the place have ended at some time of it. */
  readonly ended: UnsettledGap | undefined;
}

/** So many are kept apart of what is missing; the oldest become one. */
const mostGaps = 100;

const merged = (gaps: readonly TimeSpan[]): readonly TimeSpan[] => {
  const excess = gaps.length - mostGaps;
  if (excess <= 0) return gaps;
  const [first, last] = [gaps[0] as TimeSpan, gaps[excess] as TimeSpan];
  return [{ from: first.from, to: last.to }, ...gaps.slice(excess + 1)];
};

/** Undefined for a batch that is there already. */
export const foldBatch = (known: FoldedGateway | undefined, batch: FactBatch): FoldedBatch | undefined => {
  if (known !== undefined && batch.number <= known.number) return undefined;
  const { gateway, number, from, upTo, handOutGap, isAccount = false, isLast = false } = batch;
  const gap = gapBefore(known, batch);
  const unsettled = gap === undefined ? (known?.unsettled ?? null) : joined(known?.unsettled, gap, number);
  const isSettled = isAccount || isLast;
  return {
    gateway: {
      ...{ gateway, number, startedAt: known?.startedAt ?? Math.min(from, gap?.from ?? from) },
      ...{ knownUpTo: upTo, end: isLast ? 'closed' : null, endedBy: isLast ? upTo : null },
      gaps: merged([...(known?.gaps ?? []), ...(gap === undefined ? [] : [gap])]),
      handOutGaps: merged([
        ...(known?.handOutGaps ?? []),
        ...(handOutGap === undefined ? [] : [{ from: handOutGap.from, to: handOutGap.upTo }]),
      ]),
      unsettled: isSettled ? null : unsettled,
    },
    isBack: known?.end === 'lost',
    ended: isLast ? { from: upTo, to: upTo, place: placeOfBatch(number + 1) } : endedIn(unsettled, isAccount),
  };
};

const endedIn = (unsettled: UnsettledGap | null, isAccount: boolean): UnsettledGap | undefined =>
  isAccount && unsettled !== null ? unsettled : undefined;

/** What the gateway says is missing, and what is missing of what it has sent. */
const gapBefore = (
  known: FoldedGateway | undefined,
  { number, from, gap }: FactBatch,
): TimeSpan | undefined => {
  const isMissing = number !== (known?.number ?? 0) + 1;
  if (gap === undefined) return isMissing ? { from: known?.knownUpTo ?? 0, to: from } : undefined;
  return isMissing ? { from: known?.knownUpTo ?? 0, to: gap.upTo } : { from: gap.from, to: gap.upTo };
};

const joined = (before: UnsettledGap | null | undefined, gap: TimeSpan, number: number): UnsettledGap => ({
  from: before?.from ?? gap.from,
  to: gap.to,
  place: placeOfBatch(number),
});

/** One that has ended at some time until now. Its clock may be ahead, but it cannot have ended before its last word. */
export const lostGateway = <G extends FoldedGateway>(known: G, now: number): G => ({
  ...known,
  end: 'lost',
  endedBy: Math.max(known.knownUpTo, now),
});

/** Whether nothing that is not forgotten was on it. */
export const isForgotten = ({ endedBy }: GatewayLife, before: number): boolean =>
  endedBy !== null && endedBy < before;
