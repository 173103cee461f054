import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { DamagedSnapshot } from '../../ports/errors.js';

/** Of the parts of a snapshot in their order. */
export interface PartsSum {
  readonly count: number;
  readonly bytes: number;
  readonly checksum: number;
}

export const noParts: PartsSum = { count: 0, bytes: 0, checksum: 0 };

export const withPart = ({ count, bytes, checksum }: PartsSum, part: string): PartsSum => {
  const encoded = Buffer.from(part);
  return { count: count + 1, bytes: bytes + encoded.length, checksum: crc32(encoded, checksum) };
};

/** The parts, if they sum up to what was written. */
export async function* checkedParts(
  stream: string,
  expected: PartsSum,
  parts: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string> {
  let sum = noParts;
  for await (const part of parts) {
    sum = withPart(sum, part);
    yield part;
  }
  const { count, bytes, checksum } = sum;
  if (count !== expected.count || bytes !== expected.bytes || checksum !== expected.checksum)
    throw new DamagedSnapshot(stream);
}
