import { ExtData } from '@msgpack/msgpack';

/** The server's bound on arrays and maps inside one another, the frame's own map included. */
export const maxNesting = 64;

/** With the flag `u` it finds halves of a pair and passes over whole ones. */
const halfPair = /\p{Surrogate}/u;

/**
 * Throws for what can be encoded and yet would have the server refuse the whole frame: the key `__proto__`, half a
 * surrogate pair, more than 64 levels, extensions. Looks at what the encoder looks at, and leaves the rest to it.
 */
export const assertReadable = (value: unknown, depth = 0): void => {
  if (typeof value === 'string') return assertText(value);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if (value instanceof ExtData) throw new TypeError('Extensions of MessagePack are not supported');
  if (value instanceof Date) return;
  if (depth === maxNesting) throw new TypeError(`More than ${maxNesting} levels, the frame's own included`);
  if (Array.isArray(value)) for (const item of value) assertReadable(item, depth + 1);
  else for (const [key, item] of Object.entries(value)) assertField(key, item, depth + 1);
};

const assertField = (key: string, value: unknown, depth: number): void => {
  if (value === undefined) return; // Left out by the encoder.
  if (key === '__proto__') throw new TypeError('The key __proto__ is not allowed');
  assertText(key);
  assertReadable(value, depth);
};

const assertText = (text: string): void => {
  if (halfPair.test(text)) throw new TypeError('A text holds half a surrogate pair');
};
