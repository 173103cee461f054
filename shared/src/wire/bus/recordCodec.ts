import { Encoder, decode } from '@msgpack/msgpack';
import { annotated, constant, described, text, tuple, type JsonSchema, type Schema } from '../schema.js';
import type { RecordCodec } from './channel.js';

export const named = <S extends Schema<unknown>>(title: string, schema: S): S => annotated({ title }, schema);

/** The first position of every record on the bus. */
export const versionField = <const V extends number>(version: V): Schema<V> =>
  named('version', described('Records of another version are passed over', constant(version)));

export const roomField = described('Project, app, scope and room', text);

/** How records that are an array of a version and a map look, and their codec. */
export interface VersionedRecord<T> {
  readonly json: JsonSchema;
  readonly codec: RecordCodec<T>;
}

/** Decoding throws for records of another version, and for what the schema does not have. */
export const versionedRecord = <T>(name: string, version: number, value: Schema<T>): VersionedRecord<T> => {
  const encoder = new Encoder({ ignoreUndefined: true });
  return {
    json: tuple(versionField(version), value).json,
    codec: {
      encode: (record) => encoder.encode([version, record]),
      decode: (bytes) => {
        const record = decode(bytes);
        if (!Array.isArray(record) || record[0] !== version || !value.is(record[1]))
          throw new Error(`Not ${name} of a known version`);
        return record[1];
      },
    },
  };
};
