import type { SourceRecord } from './sourceRecord.js';

/** A text with places for the key and for headers of a record. */
export interface Template {
  /** Undefined where the record has not got what it asks for, or that is no text. */
  of(record: SourceRecord): string | undefined;
}

type Part = (record: SourceRecord) => string | undefined;

const placePattern = /\{([^{}]*)\}/g;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads `{key}` and `{header:NAME}`. Throws for any other place. */
export const readTemplate = (source: string): Template => {
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: place, 1: name = '', index } of source.matchAll(placePattern)) {
    const before = source.slice(end, index);
    parts.push(() => before, partOf(name, place));
    end = index + place.length;
  }
  const rest = source.slice(end);
  if (/[{}]/.test(source.replaceAll(placePattern, '')))
    throw new TypeError(`A brace stands alone in ${source}`);
  parts.push(() => rest);
  return {
    of: (record) => {
      const texts = parts.map((part) => part(record));
      return texts.includes(undefined) ? undefined : texts.join('');
    },
  };
};

const partOf = (name: string, place: string): Part => {
  if (name === 'key') return ({ key }) => textOf(key);
  const header = /^header:(.+)$/.exec(name)?.[1];
  if (header === undefined) throw new TypeError(`${place} is neither {key} nor {header:NAME}`);
  return (record) => textOf(record.header(header));
};

/** Undefined for bytes that are no UTF-8. */
const textOf = (bytes: Uint8Array | undefined): string | undefined => {
  try {
    return bytes === undefined ? undefined : utf8.decode(bytes);
  } catch {
    return undefined;
  }
};
