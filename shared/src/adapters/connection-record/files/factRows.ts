import { fieldsOfFacts, type ConnectionFact } from '../../../wire/bus/connectionFacts.js';

type Value = unknown;
type Row = readonly Value[];

/** Facts without what they have in common. Each row is the number of its kind, and the values of the fields of that. */
export interface FactRows {
  /** The fields of each kind, and what their values are. */
  readonly kinds: readonly (readonly [kind: string, fields: readonly string[]])[];
  /** Values that several facts may have: their place here is in the rows. */
  readonly shared: readonly Value[];
  /** Times are from here on. */
  readonly from: number;
  readonly rows: readonly (Row | null)[];
}

/** By the name of the field. `scope` may be null, which a row cannot say of any other. */
const sharedFields: ReadonlySet<string> = new Set([
  ...['connection', 'organizationId', 'projectId', 'actorType', 'scope', 'address', 'sdk'],
  ...['topic', 'group', 'reason', 'rule', 'by'],
]);
const timeFields: ReadonlySet<string> = new Set(['at', 'connectedAt', 'since']);

type Form = 'shared' | 'time' | 'plain';

const formOf = (field: string): Form => {
  if (sharedFields.has(field)) return 'shared';
  return timeFields.has(field) ? 'time' : 'plain';
};

interface Column {
  readonly field: string;
  readonly form: Form;
}

const columnsOf = (fields: readonly string[]): readonly Column[] =>
  fields.map((field) => ({ field, form: formOf(field) }));

const columnsOfKinds: ReadonlyMap<string, readonly Column[]> = new Map(
  [...fieldsOfFacts].map(([kind, fields]) => [kind, columnsOf(fields)]),
);

const placeIn = <K>(places: Map<K, number>, key: K): number => {
  const known = places.get(key);
  if (known !== undefined) return known;
  places.set(key, places.size);
  return places.size - 1;
};

export const rowsOf = (facts: readonly (ConnectionFact | null)[]): FactRows => {
  const kinds = new Map<string, number>();
  const shared = new Map<Value, number>();
  const from = facts.find((fact) => fact !== null)?.at ?? 0;
  const written = (value: Value, form: Form): Value => {
    if (form === 'plain') return value;
    return form === 'time' ? (value as number) - from : placeIn(shared, value);
  };
  const rows = facts.map((fact) => {
    if (fact === null) return null;
    const row: Value[] = [placeIn(kinds, fact.kind)];
    let length = 1;
    for (const { field, form } of columnsOfKinds.get(fact.kind) ?? []) {
      const value = (fact as Readonly<Record<string, Value>>)[field];
      row.push(value === undefined ? undefined : written(value, form));
      if (value !== undefined) length = row.length;
    }
    row.length = length;
    return row;
  });
  const named = [...kinds.keys()].map((kind) => [kind, fieldsOfFacts.get(kind) ?? []] as const);
  return { kinds: named, shared: [...shared.keys()], from, rows };
};

export const factsOf = ({ kinds, shared, from, rows }: FactRows): readonly (ConnectionFact | null)[] => {
  const read = kinds.map(([kind, fields]) => ({ kind, columns: columnsOf(fields) }));
  return rows.map((row) => {
    if (row === null) return null;
    const [number, ...values] = row;
    const { kind, columns } = read[number as number] ?? { kind: '', columns: [] };
    const fact: Record<string, unknown> = { kind };
    for (const [index, value] of values.entries()) {
      const column = columns[index];
      if (column === undefined || value === null) continue;
      const { field, form } = column;
      if (form === 'plain') fact[field] = value;
      else fact[field] = form === 'time' ? (value as number) + from : shared[value as number];
    }
    return fact as unknown as ConnectionFact;
  });
};
