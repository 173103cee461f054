/** Something on its way to the other thread. What its numbers say is between those who post it and those who take it. */
export interface Posted {
  readonly kind: number;
  readonly numbers: Four;
  readonly bytes: Uint8Array | undefined;
  /** Cloned; undefined for nothing. */
  readonly extra: unknown;
}

export type Four = readonly [number, number, number, number];

/**
 * What was posted within a turn. Numbers, bytes and the rest go separately: an array and a buffer for each of many would cost several times as
 * much as what is in them.
 */
export interface Packet {
  /** Of each its kind, its four numbers, the size of its bytes, and whether it has an extra. */
  readonly numbers: readonly number[];
  readonly extras: readonly unknown[];
  /** Of all of them, one behind the other. */
  readonly bytes: Uint8Array | undefined;
}

type Seven = [number, number, number, number, number, number, number];

const width = 7;
const noBytes = -1;

export const pack = (posted: readonly Posted[]): Packet => {
  const numbers: number[] = [];
  const extras: unknown[] = [];
  let size = noBytes;
  for (const { kind, numbers: own, bytes, extra } of posted) {
    const length = bytes?.byteLength ?? noBytes;
    numbers.push(kind, own[0], own[1], own[2], own[3], length, extra === undefined ? 0 : 1);
    if (extra !== undefined) extras.push(extra);
    if (length !== noBytes) size = Math.max(size, 0) + length;
  }
  return { numbers, extras, bytes: size === noBytes ? undefined : joined(posted, size) };
};

/** In a buffer of its own, which can be transferred. */
const joined = (posted: readonly Posted[], size: number): Uint8Array => {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const { bytes } of posted) {
    if (bytes === undefined) continue;
    whole.set(bytes, at);
    at += bytes.byteLength;
  }
  return whole;
};

/** In the order in which they were posted. */
export const unpack = ({ numbers, extras, bytes }: Packet, take: (posted: Posted) => void): void => {
  let [extrasTaken, bytesTaken] = [0, 0];
  for (let at = 0; at < numbers.length; at += width) {
    const [kind, one, two, three, four, length, hasExtra] = numbers.slice(at, at + width) as Seven;
    const end = bytesTaken + Math.max(length, 0);
    take({
      kind,
      numbers: [one, two, three, four],
      bytes: length === noBytes ? undefined : bytes?.subarray(bytesTaken, end),
      extra: hasExtra === 1 ? extras[extrasTaken++] : undefined,
    });
    bytesTaken = end;
  }
};
