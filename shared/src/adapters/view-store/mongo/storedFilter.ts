import type { ViewFilter, ViewQuery } from '../../../ports/viewStore.js';
import { checkFilter, isPlainObject } from '../filterRules.js';
import { encodeKey, encodeValue } from './storedDocument.js';

/** What the driver takes. */
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

/** Of a field that is named twice the first direction counts; the driver would take the last. */
export const storedSort = (sort: NonNullable<ViewQuery['sort']>): Map<string, 1 | -1> => {
  const stored = new Map<string, 1 | -1>();
  for (const [field, direction] of sort)
    if (!stored.has(encodePath(field))) stored.set(encodePath(field), direction);
  return stored;
};
