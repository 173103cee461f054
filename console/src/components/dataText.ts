/** What somebody published may be anything that MessagePack holds: bytes, dates, long integers. */
export type DataKind = 'bytes' | 'container' | 'plain';

export const kindOf = (value: unknown): DataKind => {
  if (value instanceof Uint8Array) return 'bytes';
  return typeof value === 'object' && value !== null && !(value instanceof Date) ? 'container' : 'plain';
};

const most = 160;

/** Characters that turn the direction of what follows, so that a text reads as what it is not. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** With escapes, as JSON has them, for what is not seen itself. */
export const visible = (text: string): string =>
  text.replace(turning, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** As JSON, to read: as `JSON.stringify` with this indentation, with what is not seen itself as escapes. */
export const visibleJson = (value: unknown, indent = 0): string =>
  visible(JSON.stringify(value, undefined, indent) ?? 'null');

/** In a line, cut off where it is long; whatever the size of the value, only its beginning is looked at. */
export const previewOf = (value: unknown): string => {
  let text = '';
  for (const piece of pieces(value)) {
    text += piece;
    if (text.length > most) return `${text.slice(0, most)}…`;
  }
  return text;
};

function* pieces(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [index, entry] of value.entries()) {
      if (index > 0) yield ', ';
      yield* pieces(entry);
    }
    yield ']';
  } else if (kindOf(value) === 'container') {
    yield '{ ';
    let isFirst = true;
    for (const name in value as object) {
      yield `${isFirst ? '' : ', '}${visible(name)}: `;
      isFirst = false;
      yield* pieces((value as Record<string, unknown>)[name]);
    }
    yield isFirst ? '}' : ' }';
  } else yield scalarText(value);
}

/** Of a value that has no parts; bytes by their number and their beginning. */
export const scalarText = (value: unknown): string => {
  if (value instanceof Uint8Array) {
    const start = [...value.subarray(0, 12)].map(hex).join(' ');
    return `${sizeText(value.length)}: ${start}${value.length > 12 ? ' …' : ''}`;
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'no time' : value.toISOString();
  if (typeof value === 'bigint') return `${value}`;
  if (value === undefined) return 'nothing';
  // The number of what JSON has no number for.
  if (typeof value === 'number') return String(value);
  return visibleJson(typeof value === 'string' ? value.slice(0, 100_000) : value);
};

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

/** `what` in the singular, of those whose plural has an s. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

export const sizeText = (bytes: number): string => {
  if (bytes < 1_024) return counted(bytes, 'byte');
  const [value, unit] = bytes < 1_048_576 ? [bytes / 1_024, 'KiB'] : [bytes / 1_048_576, 'MiB'];
  return `${value.toFixed(1)} ${unit}`;
};

const [lineBytes, mostDumped] = [16, 1_024];

/** Lines of offset, bytes in hex and letters, of the first KiB. */
export const hexDump = (bytes: Uint8Array): string => {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, mostDumped); at += lineBytes) {
    const line = bytes.subarray(at, at + lineBytes);
    const letters = [...line].map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.'));
    const offset = at.toString(16).padStart(6, '0');
    lines.push(
      `${offset}  ${[...line]
        .map(hex)
        .join(' ')
        .padEnd(lineBytes * 3 - 1)}  ${letters.join('')}`,
    );
  }
  if (bytes.length > mostDumped) lines.push(`… and ${sizeText(bytes.length - mostDumped)} more`);
  return lines.join('\n');
};

/** To copy: as JSON, with what that cannot hold as the webhooks have it (bytes in base64, long integers as text). */
export const jsonText = (value: unknown): string => JSON.stringify(value, jsonValue, 2) ?? 'null';

function jsonValue(this: unknown, _name: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return base64(value);
  return typeof value === 'bigint' ? `${value}` : value;
}

const chunk = 0x8000;

const base64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let at = 0; at < bytes.length; at += chunk)
    text += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(text);
};

export const bytesOf = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
