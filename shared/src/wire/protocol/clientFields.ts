import { decode } from '@msgpack/msgpack';
import { annotated, type JsonSchema, type Schema } from '../schema.js';
import type { FrameFields } from './frameFields.js';
import { shapeAt } from './messagePackScan.js';

/** The value of a field that makes its frame invalid. */
export const invalid = Symbol('invalid');

/** One field of a client frame: its parser, its type and its description. */
export interface ClientField<T> {
  /** Undefined for fields that the parser adds to the frame. */
  readonly json: JsonSchema | undefined;
  readonly isOptional: boolean;
  readonly read: (fields: FrameFields, name: string) => T | typeof invalid;
}

export const required = <T>({ json, is }: Schema<T>): ClientField<T> => ({
  json,
  isOptional: false,
  read: (fields, name) => {
    const value = fields.read(name);
    return is(value) ? value : invalid;
  },
});

export const optional = <T>({ json, is }: Schema<T>): ClientField<T | undefined> => ({
  json,
  isOptional: true,
  read: (fields, name) => {
    const value = fields.read(name);
    return value === undefined || is(value) ? value : invalid;
  },
});

/** An empty string is treated as absent. */
export const unlessEmpty = (field: ClientField<string | undefined>): ClientField<string | undefined> => ({
  ...field,
  read: (fields, name) => {
    const value = field.read(fields, name);
    return value === '' ? undefined : value;
  },
});

/** The default stands for a missing value; a wrong one makes the frame invalid. */
export const withDefault = <T>(schema: Schema<T>, fallback: T): ClientField<T> => ({
  json: annotated({ default: fallback }, schema).json,
  isOptional: true,
  read: (fields, name) => {
    const value = fields.read(name);
    if (value === undefined) return fallback;
    return schema.is(value) ? value : invalid;
  },
});

/** The default stands for a missing value and for a wrong one. */
export const lenient = <T>(schema: Schema<T>, fallback: T): ClientField<T> => ({
  json: annotated({ default: fallback }, schema).json,
  isOptional: true,
  read: (fields, name) => {
    const value = fields.read(name);
    return schema.is(value) ? value : fallback;
  },
});

/** Undefined for a missing value and for a wrong one, which the handler refuses like any other wrong value. */
export const unchecked = <T>({ json, is }: Schema<T>, isOptional = false): ClientField<T | undefined> => ({
  json,
  isOptional,
  read: (fields, name) => {
    const value = fields.read(name);
    return is(value) ? value : undefined;
  },
});

/** Anything, as MessagePack: it is never decoded. */
export const raw = ({ json }: Schema<unknown>): ClientField<Uint8Array> => ({
  json,
  isOptional: false,
  read: (fields, name) => fields.raw(name) ?? invalid,
});

/** A value that no other reader takes, such as a map; in at most so many bytes of MessagePack. */
export const decoded = <T>({ json, is }: Schema<T>, mostBytes: number): ClientField<T | undefined> => ({
  json,
  isOptional: true,
  read: (fields, name) => {
    const value = fields.raw(name);
    if (value === undefined || value[0] === nil) return undefined;
    const found = value.length <= mostBytes ? decode(value) : undefined;
    return is(found) ? found : invalid;
  },
});

const nil = 0xc0;
const emptyMap = Uint8Array.of(0x80);

/** A map, as MessagePack: it is never decoded. Empty where it is missing. */
export const rawMap = ({ json }: Schema<unknown>): ClientField<Uint8Array> => ({
  json,
  isOptional: true,
  read: (fields, name) => {
    const value = fields.raw(name);
    if (value === undefined || value[0] === nil) return emptyMap;
    return shapeAt(value, 0).kind === 'map' ? value : invalid;
  },
});

/** An alias of another field. */
export const copyOf = <T>(field: string, { read }: ClientField<T>): ClientField<T> => ({
  json: undefined,
  isOptional: true,
  read: (fields) => read(fields, field),
});
