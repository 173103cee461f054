import { Encoder, decode } from '@msgpack/msgpack';
import type { NewJob } from '../../ports/jobStore.js';
import { bucketOf } from './jobBucket.js';

/** The ids that came with the jobs of one bucket, which may be done by now. */
export interface JobIds {
  /** Of the bucket. */
  readonly number: number;
  /** When the last one of them was added. */
  readonly at: number;
  readonly ids: readonly (readonly [seq: number, id: string])[];
}

/** As many buckets of a group have 51,200 jobs. */
export const keptJobIds = 200;

const encoder = new Encoder();

export const encodeJobIds = ({ at, ids }: JobIds): Uint8Array => encoder.encode([at, ids]);

export const decodeJobIds = (number: number, encoded: Uint8Array): JobIds => {
  const [at, ids] = decode(encoded) as [JobIds['at'], JobIds['ids']];
  return { number, at, ids };
};

/** What is to be written for new jobs. `former`: of the bucket of the last job that was committed; what it has beyond that was not. */
export const jobIdsWith = (
  add: readonly NewJob[],
  lastSeq: number,
  former: JobIds | undefined,
): readonly JobIds[] => {
  const added = new Map<number, { at: number; readonly ids: (readonly [number, string])[] }>();
  for (const { seq, id, addedAt } of add) {
    if (id === undefined || seq <= lastSeq) continue;
    const number = bucketOf(seq);
    const known = added.get(number) ?? { at: addedAt, ids: committedOf(former, number, lastSeq) };
    known.at = addedAt;
    known.ids.push([seq, id]);
    added.set(number, known);
  }
  return Array.from(added, ([number, ids]) => ({ number, ...ids }));
};

const committedOf = (former: JobIds | undefined, number: number, lastSeq: number) =>
  former?.number === number ? former.ids.filter(([seq]) => seq <= lastSeq) : [];

/** Those that were added since then, and committed. */
export const idsSince = (parts: Iterable<JobIds>, since: number, lastSeq: number): readonly string[] => {
  const found: string[] = [];
  for (const { at, ids } of parts)
    if (at >= since) for (const [seq, id] of ids) if (seq <= lastSeq) found.push(id);
  return found;
};
