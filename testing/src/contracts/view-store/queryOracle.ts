import fc from 'fast-check';
import type { ViewFilter } from '@roomwire/shared/ports/viewStore';
import { room, type RoomView } from './storeUnderTest.js';

/** A second opinion on queries, as naive as can be; and random rooms and filters to ask both about. */

const text = fc.constantFrom('', 'a', 'A', 'ab', 'b', 'é', '\uff5e', '😀');
const number = fc.constantFrom(-1, 0, 1, 2, 10);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const path = fc.constantFrom('name', 'description', 'topics', 'metadata.v', 'metadata.deep.v', 'appId');

export const roomsToAsk: fc.Arbitrary<RoomView[]> = fc
  .array(
    fc.record({
      appId: fc.constantFrom('a', 'ab', 'b'),
      name: text,
      description: fc.option(text),
      topics: fc.array(text, { maxLength: 3 }),
      metadata: fc.record(
        { v: scalar, deep: fc.record({ v: scalar }, { requiredKeys: [], noNullPrototype: true }) },
        { requiredKeys: [], noNullPrototype: true },
      ),
    }),
    { maxLength: 12 },
  )
  .map((fields) => fields.map((each, n) => room(`r${String(n).padStart(2, '0')}`, each)));

const operators: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  scalar.map(($eq) => ({ $eq })),
  scalar.map(($ne) => ({ $ne })),
  fc.oneof(text, number).map(($gt) => ({ $gt })),
  fc.tuple(text, text).map(([$gte, $lt]) => ({ $gte, $lt })),
  fc.oneof(text, number).map(($lte) => ({ $lte })),
  fc.array(scalar, { maxLength: 4 }).map(($in) => ({ $in })),
  fc.array(scalar, { maxLength: 4 }).map(($nin) => ({ $nin })),
  fc.boolean().map(($exists) => ({ $exists })),
  fc.constantFrom('a', '^A', 'b$').map(($regex) => ({ $regex })),
);

const condition = fc
  .tuple(
    path,
    fc.oneof(
      scalar,
      operators,
      operators.map(($not) => ({ $not })),
    ),
  )
  .map(([field, operand]): ViewFilter => ({ [field]: operand }));

export const filterToAsk: fc.Arbitrary<ViewFilter> = fc.letrec<{ filter: ViewFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    condition,
    ...['$and', '$or', '$nor'].map((name) =>
      fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((filters) => ({ [name]: filters })),
    ),
  ),
})).filter;

export const sortToAsk = fc.array(
  fc.tuple(
    fc.constantFrom('name', 'description', 'metadata.v', 'appId'),
    fc.constantFrom(1 as const, -1 as const),
  ),
  { maxLength: 3 },
);

const valueAt = (document: unknown, field: string): unknown =>
  field
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], document);

const bytes = (value: string): string => Buffer.from(value).toString('hex');

const compare = (a: unknown, b: unknown): number => {
  const rank = (value: unknown): number =>
    ['undefined', 'object', 'number', 'string', 'boolean'].indexOf(typeof value);
  if (typeof a !== typeof b) return Math.max(rank(a), 1) - Math.max(rank(b), 1);
  if (typeof a === 'string') return bytes(a) < bytes(b as string) ? -1 : Number(a !== b);
  return Number(a) - Number(b);
};

const test: Readonly<Record<string, (value: unknown, operand: never) => boolean>> = {
  $eq: (value, operand) => (value ?? null) === operand,
  $gt: (value, operand) => typeof value === typeof operand && compare(value, operand) > 0,
  $gte: (value, operand) => typeof value === typeof operand && compare(value, operand) >= 0,
  $lt: (value, operand) => typeof value === typeof operand && compare(value, operand) < 0,
  $lte: (value, operand) => typeof value === typeof operand && compare(value, operand) <= 0,
  $in: (value, operand: readonly unknown[]) => operand.includes(value ?? null),
  $regex: (value, operand: string) => typeof value === 'string' && new RegExp(operand).test(value),
};

const holds = (value: unknown, name: string, operand: unknown): boolean => {
  if (name === '$ne') return !holds(value, '$eq', operand);
  if (name === '$nin') return !holds(value, '$in', operand);
  if (name === '$exists') return (value !== undefined) === operand;
  if (name === '$not') return !holdsAll(value, operand as ViewFilter);
  return (Array.isArray(value) ? value : [value]).some((each) => test[name]?.(each, operand as never));
};

const holdsAll = (value: unknown, conditions: ViewFilter): boolean =>
  Object.entries(conditions).every(([name, operand]) => holds(value, name, operand));

export const matchesNaively = (document: unknown, filter: ViewFilter): boolean =>
  Object.entries(filter).every(([field, operand]) => {
    const every = operand as readonly ViewFilter[];
    if (field === '$and') return every.every((each) => matchesNaively(document, each));
    if (field === '$or') return every.some((each) => matchesNaively(document, each));
    if (field === '$nor') return !every.some((each) => matchesNaively(document, each));
    const conditions = typeof operand === 'object' && operand !== null ? operand : { $eq: operand };
    return holdsAll(valueAt(document, field), conditions as ViewFilter);
  });

export const sortedNaively = (
  rooms: readonly RoomView[],
  sort: readonly (readonly [field: string, direction: 1 | -1])[],
): RoomView[] =>
  [...rooms].sort((a, b) =>
    sort.reduce(
      (order, [field, direction]) => order || compare(valueAt(a, field), valueAt(b, field)) * direction,
      0,
    ),
  );
