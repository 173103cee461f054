/** Strings with any of these characters take two bytes for each of their characters, all others one. */
const wide = /[\u0100-\uffff]/;

const [stringHeader, objectHeader, arrayHeader, slot, number] = [24, 56, 32, 8, 16];

/**
 * About what a JSON value takes on the heap of V8, to bound memory. The names of fields count each time, although objects that were made
 * alike share theirs: where all objects have names of their own, they take several times as much.
 */
export const heapBytes = (value: unknown): number => {
  if (typeof value === 'string') return stringHeader + value.length * (wide.test(value) ? 2 : 1);
  if (typeof value === 'number') return number;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = objectHeader;
  if (Array.isArray(value)) {
    bytes = arrayHeader;
    for (const item of value) bytes += slot + heapBytes(item);
  } else
    for (const key in value) bytes += slot + key.length + heapBytes((value as Record<string, unknown>)[key]);
  return bytes;
};
