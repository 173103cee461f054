import { Decoder } from '@msgpack/msgpack';

/** Something that JSON has no word for. */
class NotJson extends Error {}

const decoder = new Decoder({
  useBigInt64: true,
  // In JSON the keys 1 and "1" would be the same.
  mapKeyConverter: (key) => {
    if (typeof key !== 'string') throw new NotJson();
    return key;
  },
});

/**
 * The value of sound MessagePack where JSON holds it without loss; undefined where it has bytes, timestamps, NaN, infinities, integers
 * beyond 2^53 or keys that are numbers.
 */
export const jsonValueOf = (bytes: Uint8Array): { readonly value: unknown } | undefined => {
  try {
    return { value: exact(decoder.decode(bytes)) };
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
};

const exact = (value: unknown): unknown => {
  if (typeof value === 'bigint') return exactNumber(Number(value), Number.isSafeInteger);
  if (typeof value === 'number') return exactNumber(value, Number.isFinite);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(exact);
  if (value instanceof Uint8Array || value instanceof Date) throw new NotJson();
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, exact(each)]));
};

const exactNumber = (value: number, isExact: (value: number) => boolean): number => {
  if (!isExact(value)) throw new NotJson();
  return value;
};
