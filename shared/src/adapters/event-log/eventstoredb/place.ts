import type { Position } from '@eventstore/db-client';
import type { LogPosition } from '../../../ports/eventLog.js';

/** The digits of the largest unsigned 64-bit number. */
const digits = 20;
const pattern = new RegExp(`^(\\d{${digits}})-(\\d{${digits}})$`);

/** What the server says when it knows no position. */
const none = 2n ** 64n - 1n;

const padded = (part: bigint): string => String(part).padStart(digits, '0');

/** Commit position before prepare position, which is the order of `$all`. */
export const logPositionOf = (place: Position | undefined): LogPosition => {
  if (!isKnown(place)) {
    throw new RangeError('EventStoreDB gave no position; version 22.10 or later is needed');
  }
  const { commit, prepare } = place;
  const first = padded(commit);
  return `${first}-${prepare === commit ? first : padded(prepare)}`;
};

export const placeOf = (position: LogPosition): Position => {
  const [, commit, prepare] = pattern.exec(position) ?? [];
  if (commit === undefined || prepare === undefined) {
    throw new RangeError(`'${position}' is no position of this event log`);
  }
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
};

export const isKnown = (place: Position | undefined): place is Position =>
  place !== undefined && place.commit !== none;
