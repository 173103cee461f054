import { Encoder, decode } from '@msgpack/msgpack';
import type { RecordCodec } from './channel.js';

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isCount = (value: unknown): value is number => Number.isInteger(value);
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** MessagePack: an array of the version and the record. Throws for a record of another version or shape. */
export const versionedCodec = <T>(
  version: number,
  isRecord: (value: unknown) => value is T,
  what: string,
): RecordCodec<T> => {
  const encoder = new Encoder();
  return {
    encode: (record) => encoder.encode([version, record]),
    decode: (bytes) => {
      const record = decode(bytes);
      if (!Array.isArray(record) || record[0] !== version || !isRecord(record[1]))
        throw new Error(`Not ${what} of a known version`);
      return record[1];
    },
  };
};
