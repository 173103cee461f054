import type { Versioned } from '@roomwire/shared/wire/bus/channel';

export type ColumnType = 'VARCHAR' | 'BIGINT' | 'INTEGER' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export const streamNames = ['messages', 'webhook-outcomes'] as const;
export type StreamName = (typeof streamNames)[number];

/** A value of a column; of a TIMESTAMP, milliseconds since 1970. */
export type FactValue = string | number | boolean | null;

/** What is kept of a record: a value for each column of its stream, in that order. */
export type Fact = readonly FactValue[];

/** A stream of facts. The files of one version have these columns; a later version may add some at the end. */
export interface FactStream {
  readonly name: StreamName;
  readonly version: number;
  readonly columns: readonly Column[];
  /** Of its records on the bus. */
  readonly codec: Versioned['codec'];
  /**
   * Of a record on the bus, with the time that the bus gives it. Undefined for a record that is no fact. Throws for one that
   * this program cannot read.
   */
  readonly factOf: (record: Uint8Array, timestamp: number) => Fact | undefined;
}

/** Where a fact stands in its stream: in front of its own columns. */
export const placeColumns: readonly Column[] = [
  { name: 'partition', type: 'INTEGER' },
  { name: 'offset', type: 'BIGINT' },
];
