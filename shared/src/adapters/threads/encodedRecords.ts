import { Buffer } from 'node:buffer';
import type { HeaderCarrier, RecordCodec } from '../../wire/bus/channel.js';

/** What a channel carries outside of its codec, by header. */
export type CarriedTexts = Readonly<Record<string, string>>;

/** A record on its way to another thread. */
export interface EncodedRecord {
  readonly bytes: Uint8Array;
  /** Undefined where it has none. */
  readonly carried: CarriedTexts | undefined;
}

/** A channel or a queue, as far as its records have to be encoded. */
export interface Coded<T> {
  readonly codec: RecordCodec<T>;
  readonly carried?: readonly HeaderCarrier<T>[];
}

/** In the newest version: all threads of a process are of one release. */
export const encodeRecord = <T>({ codec, carried: carriers }: Coded<T>, record: T): EncodedRecord => {
  let carried: Record<string, string> | undefined;
  for (const { header, of } of carriers ?? []) {
    const text = of(record);
    if (text !== undefined) (carried ??= {})[header] = text;
  }
  return { bytes: codec.encode(record), carried };
};

/** For an argument of a call: whoever clones a view clones all of its buffer, which encoders share among many records. */
export const encodeAlone = <T>(coded: Coded<T>, record: T): EncodedRecord => {
  const { bytes, carried } = encodeRecord(coded, record);
  return { bytes: bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes), carried };
};

/** What records take, apart from calls by name. The numbers: see those who post them. */
export const recordLanes = { record: 0, own: 1, send: 2, sendStored: 3 } as const;

/** Of a reader that does not know its `next`. */
export const unknownNext = -1;

export const decodeRecord = <T>(
  { codec, carried: carriers }: Coded<T>,
  { bytes, carried }: EncodedRecord,
): T => {
  let record = codec.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  for (const { header, onto } of carriers ?? []) {
    const text = carried?.[header];
    if (text !== undefined) record = onto(record, text);
  }
  return record;
};

/** Encodes each record once, for however many threads read it; one that came from a thread is encoded already. */
export class EncodedRecords {
  private readonly known = new WeakMap<object, EncodedRecord>();

  of<T extends object>(coded: Coded<T>, record: T): EncodedRecord {
    const known = this.known.get(record);
    if (known !== undefined) return known;
    const encoded = encodeRecord(coded, record);
    this.known.set(record, encoded);
    return encoded;
  }

  decoded<T extends object>(coded: Coded<T>, encoded: EncodedRecord): T {
    const record = decodeRecord(coded, encoded);
    this.known.set(record, encoded);
    return record;
  }
}
