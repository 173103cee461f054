import { Context } from 'mingo/core';
import { $and, $eq, $exists, $ne, $nor, $not, $or, $regex } from 'mingo/operators/query';
import { Query } from 'mingo/query';
import { resolve } from 'mingo/util';
import type { ViewFilter } from '../../ports/viewStore.js';
import { checkFilter, holdsOperators, isPlainObject, isScalar, type Scalar } from './filterRules.js';
import { creationField } from './creationOrder.js';
import { compareValues, valuesAt } from './ordering.js';

export interface CompiledFilter {
  matches(document: object): boolean;
  /** Fields that every match holds with exactly this value (or holds it in a list). */
  readonly equalities: ReadonlyMap<string, Scalar>;
  /** Whether the equalities are all of the filter. */
  readonly comparesScalars: boolean;
  /** Position after which, or before which, every match was created. */
  readonly createdAfter: unknown;
  readonly createdBefore: unknown;
}

type Operator = typeof $eq;

const orders = {
  $gt: (order: number) => order > 0,
  $gte: (order: number) => order >= 0,
  $lt: (order: number) => order < 0,
  $lte: (order: number) => order <= 0,
};
type Comparison = keyof typeof orders;

const holds = (comparison: Comparison, value: unknown, operand: unknown): boolean =>
  typeof value === typeof operand && orders[comparison](compareValues(value, operand));

// mingo's own comparisons order strings by UTF-16 unit.
const comparison =
  (name: Comparison): Operator =>
  (path, operand) =>
  (document) =>
    valuesAt(document, path).some((value) => holds(name, value, operand));

// mingo's own `$in` rebuilds a hash of the list for every document.
const isOneOf: Operator = (path, operand) => {
  const wanted = new Set(operand as readonly unknown[]);
  return (document) => valuesAt(document, path).some((value) => wanted.has(value ?? null));
};

const isNoneOf: Operator = (path, operand, options) => {
  const matches = isOneOf(path, operand, options);
  return (document) => !matches(document);
};

// mingo's own takes a scalar element for any of its fields.
const hasElement: Operator = (path, operand) => {
  const conditions = operand as ViewFilter;
  const onElement = holdsOperators(conditions);
  const query = new Query<object>(onElement ? { element: conditions } : conditions, { context });
  const matches = (element: unknown): boolean =>
    onElement ? query.test({ element }) : isPlainObject(element) && query.test(element);
  return (document) => {
    const list = resolve(document, path, { unwrapArray: true });
    return Array.isArray(list) && list.some(matches);
  };
};

const context = Context.init({
  query: {
    ...{ $and, $or, $nor, $not, $eq, $ne, $exists, $regex },
    $elemMatch: hasElement,
    $gt: comparison('$gt'),
    $gte: comparison('$gte'),
    $lt: comparison('$lt'),
    $lte: comparison('$lte'),
    $in: isOneOf,
    $nin: isNoneOf,
  },
});

const collectEqualities = (filter: ViewFilter, into: Map<string, Scalar>): void => {
  for (const [field, operand] of Object.entries(filter)) {
    if (field === '$and') for (const part of operand as readonly ViewFilter[]) collectEqualities(part, into);
    const value = isPlainObject(operand) ? operand.$eq : operand;
    if (isScalar(value)) into.set(field, value);
  }
};

export const compileFilter = (filter: ViewFilter): CompiledFilter => {
  checkFilter(filter);
  const equalities = new Map<string, Scalar>();
  collectEqualities(filter, equalities);
  let query: Query<object> | undefined;
  // Made when it is needed: most look-ups are by indexed scalars, and for these it would cost more than the rest.
  const byQuery = (document: object): boolean =>
    (query ??= new Query<object>(filter, { context })).test(document);
  const comparesScalars = comparesScalarsOnly(filter);
  const conditions = scalarConditions(filter);
  const created = filter[creationField];
  const bounds = isPlainObject(created) ? created : {};
  return {
    ...{ equalities, comparesScalars },
    ...{ createdAfter: bounds.$gt ?? bounds.$gte, createdBefore: bounds.$lt },
    matches: conditions ? scalarMatcher(conditions, byQuery) : byQuery,
  };
};

const comparesScalarsOnly = (filter: ViewFilter): boolean =>
  Object.entries(filter).every(([field, operand]) => !field.includes('.') && isScalar(operand));

type ScalarCondition = readonly [field: string, holds: (value: Scalar) => boolean];

/** Undefined for a filter that has others than equality with a scalar, comparisons and patterns. */
const scalarConditions = (filter: ViewFilter): readonly ScalarCondition[] | undefined => {
  const conditions: ScalarCondition[] = [];
  for (const [field, operand] of Object.entries(filter)) {
    if (field.includes('.')) return undefined;
    if (isScalar(operand)) conditions.push([field, (value) => value === operand]);
    else if (isPattern(operand)) conditions.push([field, matchesPattern(operand)]);
    else if (isComparison(operand)) conditions.push([field, compares(operand)]);
    else return undefined;
  }
  return conditions;
};

const isPattern = (operand: unknown): operand is { readonly $regex: string } =>
  isPlainObject(operand) && Object.keys(operand).join() === '$regex';

const matchesPattern = ({ $regex: pattern }: { readonly $regex: string }): ScalarCondition[1] => {
  const expression = new RegExp(pattern);
  return (value) => typeof value === 'string' && expression.test(value);
};

type Bounds = Readonly<Partial<Record<Comparison, unknown>>>;

const isComparison = (operand: unknown): operand is Bounds =>
  isPlainObject(operand) &&
  holdsOperators(operand) &&
  Object.keys(operand).every((name) => Object.hasOwn(orders, name));

const compares = (bounds: Bounds): ScalarCondition[1] => {
  const comparisons = Object.entries(bounds) as readonly (readonly [Comparison, unknown])[];
  return (value) => comparisons.every(([name, operand]) => holds(name, value, operand));
};

/** Leaves the documents that hold a list or a document in one of the fields to `otherwise`. */
const scalarMatcher =
  (conditions: readonly ScalarCondition[], otherwise: (document: object) => boolean) =>
  (document: object): boolean => {
    for (const [field, holds] of conditions) {
      const value = (document as Readonly<Record<string, unknown>>)[field] ?? null;
      if (!isScalar(value)) return otherwise(document);
      if (!holds(value)) return false;
    }
    return true;
  };
