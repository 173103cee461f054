import type { ViewFilter } from '../../ports/viewStore.js';

/**
 * The filters that the port allows, checked before an engine sees them: every adapter rejects the same with a `TypeError`, and
 * user input in a filter cannot bring operators along.
 */

export type Scalar = string | number | boolean | null;
type Refusal = (operand: unknown) => string | undefined;

// Neither an operator nor a way to the prototype; MongoDB itself refuses empty parts.
const fieldPath = /^[^.$\0][^.\0]*(?:\.[^.$\0][^.\0]*)*$/;
const regexOptions = /^[ims]*$/;

export const isScalar = (value: unknown): value is Scalar =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));

export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const isListOfScalars = (value: unknown): boolean => Array.isArray(value) && value.every(isScalar);

// `undefined` would match every document without the field, and a nested document compares by the order of its fields.
const comparable: Refusal = (operand) =>
  isScalar(operand) || isListOfScalars(operand) ? undefined : 'takes a scalar or a list of scalars';

const ordered: Refusal = (operand) =>
  isScalar(operand) && operand !== null ? undefined : 'takes a string, a number or a boolean';

const list: Refusal = (operand) => (isListOfScalars(operand) ? undefined : 'takes a list of scalars');

const flag: Refusal = (operand) => (typeof operand === 'boolean' ? undefined : 'takes true or false');

const pattern: Refusal = (operand) => {
  if (typeof operand !== 'string') return 'takes a string';
  // MongoDB takes none, but does take `\x00`.
  if (operand.includes('\0')) return 'takes a pattern without NUL';
  try {
    new RegExp(operand);
    return undefined;
  } catch {
    return 'takes a valid regular expression';
  }
};

const patternOptions: Refusal = (operand) =>
  typeof operand === 'string' && regexOptions.test(operand) ? undefined : 'takes letters out of i, m and s';

const element: Refusal = (operand) =>
  !isPlainObject(operand)
    ? 'takes conditions'
    : holdsOperators(operand)
      ? operators(operand)
      : fields(operand);

const negated: Refusal = (operand) =>
  isPlainObject(operand) && holdsOperators(operand) ? operators(operand) : 'takes operators';

const fieldOperators: ReadonlyMap<string, Refusal> = new Map([
  ['$eq', comparable],
  ['$ne', comparable],
  ['$gt', ordered],
  ['$gte', ordered],
  ['$lt', ordered],
  ['$lte', ordered],
  ['$in', list],
  ['$nin', list],
  ['$exists', flag],
  ['$regex', pattern],
  ['$options', patternOptions],
  ['$elemMatch', element],
  ['$not', negated],
]);

const logicalOperators: ReadonlySet<string> = new Set(['$and', '$or', '$nor']);

export const holdsOperators = (operand: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(operand).some((key) => key.startsWith('$') && !logicalOperators.has(key));

const operators = (operand: Readonly<Record<string, unknown>>): string | undefined => {
  if ('$options' in operand && !('$regex' in operand)) return '$options comes with $regex';
  for (const [name, value] of Object.entries(operand)) {
    const refusal = fieldOperators.get(name);
    if (refusal === undefined) return `${name} is not an operator of the port`;
    const why = refusal(value);
    if (why !== undefined) return name.startsWith('$') ? `${name} ${why}` : why;
  }
  return undefined;
};

const condition = (field: string, operand: unknown): string | undefined => {
  if (logicalOperators.has(field)) return alternatives(field, operand);
  if (!fieldPath.test(field) || field.split('.').includes('__proto__')) return 'is not a field';
  return isPlainObject(operand) && holdsOperators(operand) ? operators(operand) : comparable(operand);
};

const alternatives = (name: string, operand: unknown): string | undefined => {
  if (!Array.isArray(operand) || operand.length === 0) return `${name} takes a list of filters`;
  for (const filter of operand) {
    const why = isPlainObject(filter) ? fields(filter) : 'is not a filter';
    if (why !== undefined) return why;
  }
  return undefined;
};

const fields = (filter: Readonly<Record<string, unknown>>): string | undefined => {
  for (const [field, operand] of Object.entries(filter)) {
    const why = condition(field, operand);
    if (why !== undefined) return `${field}: ${why}`;
  }
  return undefined;
};

/** Throws a `TypeError` that names the first condition outside the port's query language. */
export const checkFilter = (filter: ViewFilter): void => {
  const why = isPlainObject(filter) ? fields(filter) : 'it is not an object';
  if (why !== undefined) throw new TypeError(`Unusable filter: ${why}`);
};
