import type { ViewFilter, ViewQuery } from '../../../ports/viewStore.js';
import { checkFilter, isPlainObject } from '../filterRules.js';

/**
 * How documents are stored in MongoDB: fields as they are, so that filters and sorts reach them, except for what MongoDB does
 * not accept or does not return unchanged. Metadata is any JSON of a user.
 */

/** What the adapter adds to a document. No key of a document begins with `_` once it is encoded. */
export interface StoredDocument {
  readonly _id: string;
  /** The term of the projector that wrote it last: a late write of an earlier one must not undo it. */
  readonly _term: number;
  /** When it was removed. The tombstone stays for a while, so that a late write cannot bring the document back. */
  readonly _removedAt?: Date;
}

type Json = Readonly<Record<string, unknown>>;

/** The only key of an object that represents a value stored as text; `%json` itself is encoded as `%25json`. */
const textKey = '%json';

// MongoDB allows a depth of 100, and no filter reaches deeper than this.
const maxDepth = 32;

// BSON makes up to eleven bytes of one of JSON (a list of empty lists), and a document ends at 16 MiB: what could become
// larger than this is stored as text, which no filter searches.
const mostBytesOfField = 256 * 1024;
const mostBytesOfValue = 32;

const unsafeCharacters = /[%$.\0\p{Surrogate}]|^_/gu;
const escapes = /%(?:u([0-9A-F]{4})|([0-9A-F]{2}))/g;
const loneSurrogate = /\p{Surrogate}/u;

const percent = (character: string): string => {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
  return code.length > 2 ? `%u${code}` : `%${code}`;
};

/**
 * MongoDB reads `$` and `.` in a key and takes neither NUL nor what UTF-8 has not; its driver reads `_bsontype`, and
 * what it inherits: a list under `constructor` comes back as bytes.
 */
export const encodeKey = (key: string): string => {
  if (key === '') return '%';
  if (key in Object.prototype) return percent(key) + key.slice(1);
  return key.replace(unsafeCharacters, percent);
};

const decodeKey = (key: string): string => {
  if (!key.includes('%')) return key;
  if (key === '%') return '';
  return key.replace(escapes, (_, four?: string, two: string = '') =>
    String.fromCharCode(parseInt(four ?? two, 16)),
  );
};

const asText = (value: unknown): Json => ({ [textKey]: JSON.stringify(value) });

const encodeValue = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return loneSurrogate.test(value) ? asText(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return asText(value);
  if (!Array.isArray(value)) return encodeFields(value, depth + 1);
  // A list in a list is beyond some engines that speak MongoDB's protocol.
  return value.map((item) => (Array.isArray(item) ? asText(item) : encodeValue(item, depth + 1)));
};

/** Whether a field could become too large. Strings do not count, because BSON does not enlarge them. */
const isBulky = (field: unknown): boolean => {
  let bytes = 0;
  const adds = (value: unknown): boolean => {
    bytes += mostBytesOfValue;
    if (bytes > mostBytesOfField) return true;
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) return value.some(adds);
    return Object.entries(value).some(([key, inner]) => {
      bytes += 3 * key.length;
      return adds(inner);
    });
  };
  return typeof field === 'object' && adds(field);
};

/** All fields of a document, or some that are to be set. */
export const encodeFields = (fields: object, depth = 0): Json => {
  const encoded: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields))
    encoded[encodeKey(key)] = depth === 0 && isBulky(value) ? asText(value) : encodeValue(value, depth);
  return encoded;
};

const decodeValue = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(decodeValue);
  const text = (value as Json)[textKey];
  return typeof text === 'string' ? JSON.parse(text) : decodeFields(value);
};

const decodeFields = (fields: object): Json => {
  const decoded: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields))
    if (!key.startsWith('_')) define(decoded, decodeKey(key), decodeValue(value));
  return decoded;
};

const define = (object: Record<string, unknown>, key: string, value: unknown): void => {
  // An assignment would set the prototype.
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
};

/** The document as it was put, without what the adapter added. */
export const decodeDocument = (stored: StoredDocument): Json => decodeFields(stored);

/** A document as the driver accepts it. */
type Filter = Record<string, unknown>;

const encodePath = (path: string): string => path.split('.').map(encodeKey).join('.');

const translateCondition = (operand: unknown): unknown => {
  if (!isPlainObject(operand)) return encodeValue(operand);
  const translated: Filter = {};
  for (const [name, value] of Object.entries(operand)) translated[name] = translateOperand(name, value);
  return translated;
};

const translateOperand = (name: string, value: unknown): unknown => {
  if (name === '$not') return translateCondition(value);
  if (name === '$elemMatch') return translateFields(value as ViewFilter);
  return encodeValue(value);
};

const translateFields = (filter: ViewFilter): Filter => {
  const translated: Filter = {};
  for (const [name, operand] of Object.entries(filter))
    if (!name.startsWith('$')) translated[encodePath(name)] = translateCondition(operand);
    else if (Array.isArray(operand) && isLogical(name))
      translated[name] = (operand as readonly ViewFilter[]).map(translateFields);
    else translated[name] = translateOperand(name, operand);
  return translated;
};

// Directly in `$elemMatch` there may be operators as well as fields, and `$in` takes a list too.
const isLogical = (name: string): boolean => name === '$and' || name === '$or' || name === '$nor';

/** The port's filter on documents as they are stored; throws a `TypeError` for anything beyond the port. */
export const storedFilter = (filter: ViewFilter): Filter => {
  checkFilter(filter);
  return { ...translateFields(filter), _removedAt: null };
};

/** For a field that is named twice the first direction counts; the driver would take the last. */
export const storedSort = (sort: NonNullable<ViewQuery['sort']>): Map<string, 1 | -1> => {
  const stored = new Map<string, 1 | -1>();
  for (const [field, direction] of sort)
    if (!stored.has(encodePath(field))) stored.set(encodePath(field), direction);
  return stored;
};
