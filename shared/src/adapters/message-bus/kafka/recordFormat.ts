import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { HeaderCarrier } from '../../../wire/bus/channel.js';
import type { RecordHeaders } from './kafkaClient.js';

const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;

const mixed = (word: number): number => {
  const multiplied = Math.imul(word, multiplier);
  return Math.imul(multiplied ^ (multiplied >>> 24), multiplier);
};

/** Murmur2 as Kafka's own clients compute it, so that programs in other languages find the same partition. */
const murmur2 = (bytes: Uint8Array): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rest = bytes.length & 3;
  const restStart = bytes.length - rest;
  let hash = seed ^ bytes.length;
  for (let at = 0; at < restStart; at += 4)
    hash = Math.imul(hash, multiplier) ^ mixed(view.getInt32(at, true));
  for (let at = rest - 1; at >= 0; at -= 1) hash ^= (bytes[restStart + at] as number) << (8 * at);
  if (rest > 0) hash = Math.imul(hash, multiplier);
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
};

/** Writers and readers of a topic agree on it as long as its number of partitions stays as it is. */
export const partitionOf = (key: Uint8Array, partitions: number): number =>
  (murmur2(key) & 0x7fffffff) % partitions;

/** What a channel carries outside of its codec. */
export type Carried = Readonly<Record<string, Buffer>>;

/** Undefined where the record has none of it. */
export const carriedBy = <T>(
  carriers: readonly HeaderCarrier<T>[] | undefined,
  record: T,
): Carried | undefined => {
  if (carriers === undefined) return undefined;
  let headers: Record<string, Buffer> | undefined;
  for (const { header, of } of carriers) {
    const text = of(record);
    if (text !== undefined) (headers ??= {})[header] = Buffer.from(text, 'latin1');
  }
  return headers;
};

/** Lengths of a header's name and value, as varints. */
const lengthsBytes = 4;

export const bytesOf = (headers: Carried): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + lengthsBytes, 0);

/** Undefined where there is none. */
export const headerOf = (headers: RecordHeaders | undefined, name: string): string | undefined => {
  const value = headers?.[name];
  return Buffer.isBuffer(value) ? value.toString('latin1') : undefined;
};

/** The record of a codec with what its headers carry. */
export const withCarried = <T>(
  carriers: readonly HeaderCarrier<T>[],
  decoded: T,
  headers: RecordHeaders | undefined,
): T => {
  let record = decoded;
  for (const { header, onto } of carriers) {
    const text = headerOf(headers, header);
    if (text !== undefined) record = onto(record, text);
  }
  return record;
};

/**
 * On the first record of what a batch brings to a partition: who sent it, the number of the first record, and how
 * many there are. Brokers store them as one, so that the others need no header of their own, which costs the library
 * a fifth of all it does for a record.
 */
const idHeader = 'roomwire-id';
const senderBytes = 8;
const numberBytes = 6;
const countBytes = 4;
const idBytes = senderBytes + numberBytes + countBytes;

/** Numbers the records of one sender to one topic, per partition in sending order. */
export class RecordNumbers {
  private readonly sender = randomBytes(senderBytes);
  private readonly last: number[] = [];

  next(partition: number): number {
    const number = (this.last[partition] ?? 0) + 1;
    this.last[partition] = number;
    return number;
  }

  /** For the first of `count` records with successive numbers. */
  headers(number: number, count: number): RecordHeaders {
    const id = Buffer.allocUnsafe(idBytes);
    this.sender.copy(id);
    id.writeUIntBE(number, senderBytes, numberBytes);
    id.writeUInt32BE(count, senderBytes + numberBytes);
    return { [idHeader]: id };
  }
}

/** Adjacent records, as they were sent. */
interface Run {
  readonly sender: string;
  readonly firstNumber: number;
  readonly firstOffset: number;
  readonly endOffset: number;
}

const runAt = (offset: number, headers: RecordHeaders | undefined): Run | undefined => {
  const id = headers?.[idHeader];
  if (!Buffer.isBuffer(id) || id.length !== idBytes) return undefined;
  return {
    sender: id.toString('latin1', 0, senderBytes),
    firstNumber: id.readUIntBE(senderBytes, numberBytes),
    firstOffset: offset,
    endOffset: offset + id.readUInt32BE(senderBytes + numberBytes),
  };
};

const sendersRemembered = 1_000;

/**
 * Finds second copies in one partition. A batch whose answer was lost is sent again and may be stored twice, but a
 * sender has one batch on its way at a time: in a partition its numbers only rise, and one that does not rise is a
 * copy, or so late that its send was rejected long ago.
 */
export class RepeatedRecords {
  private readonly lastOf = new Map<string, number>();
  private run: Run | undefined;

  /** The next record does not follow the last one, and offsets may have been used again. */
  jump(): void {
    this.run = undefined;
  }

  isRepeated(offset: number, headers: RecordHeaders | undefined): boolean {
    this.run = runAt(offset, headers) ?? this.run;
    const run = this.run;
    // Not sent by this program, or read from the middle of a batch: nothing to compare.
    if (!run || offset < run.firstOffset || offset >= run.endOffset) return false;
    const number = run.firstNumber + offset - run.firstOffset;
    const last = this.lastOf.get(run.sender);
    if (last !== undefined && number <= last) return true;
    if (last === undefined) this.makeRoom();
    this.lastOf.set(run.sender, number);
    return false;
  }

  /** Every process that sends is a sender, for as long as it runs. */
  private makeRoom(): void {
    if (this.lastOf.size < sendersRemembered) return;
    for (const longestKnown of this.lastOf.keys()) {
      this.lastOf.delete(longestKnown);
      return;
    }
  }
}
