import { maxNesting } from './limits.js';

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/**
 * What `JSON.parse` lets pass and MessagePack cannot carry: more than 64 levels, and `\u` escapes that leave half of
 * a surrogate pair. The bytes are valid UTF-8 already; whether they are JSON is for `JSON.parse` to say.
 */
export const isSoundJson = (bytes: Uint8Array): boolean => {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxNesting) return false;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    } else if (byte === quote) {
      at = endOfString(bytes, at + 1);
      if (at < 0) return false;
    }
  }
  return true;
};

/** Index of the closing quote, -1 for a string with half a surrogate pair. */
const endOfString = (bytes: Uint8Array, from: number): number => {
  let pending = false;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    const unit = byte === backslash && bytes[at + 1] === letterU ? codeUnit(bytes, at + 2) : 0;
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (pending !== isLow) return -1;
    pending = unit >= 0xd800 && unit <= 0xdbff;
    if (byte === quote) return at;
    if (byte === backslash) at += unit === 0 ? 1 : 5;
  }
  return bytes.length;
};

const codeUnit = (bytes: Uint8Array, from: number): number => {
  let unit = 0;
  for (let at = from; at < from + 4; at++) unit = unit * 16 + hexDigit(bytes[at] ?? 0);
  return unit;
};

/** 0 for a byte that is no digit, which `JSON.parse` rejects later. */
const hexDigit = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : 0;
};
