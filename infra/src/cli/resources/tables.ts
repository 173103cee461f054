type Item = Readonly<Record<string, unknown>>;

interface Format {
  readonly json?: boolean;
}

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(',');
  // What people have typed must not move the cursor of a terminal.
  return (typeof value === 'object' ? JSON.stringify(value) : `${value as string}`).replace(/\p{Cc}/gu, ' ');
};

const lines = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row.map((text, at) => (at === row.length - 1 ? text : text.padEnd(widths[at] ?? 0))).join('  ');
  return rows.map((row) => `${line(row)}\n`).join('');
};

/** `expiresAt` is `EXPIRES AT`. */
const heading = (field: string): string => field.replace(/[A-Z]/g, ' $&').toUpperCase();

/** Records as a table, a line each. */
export const tableOf = (records: readonly Item[], columns: readonly string[]): string =>
  lines([columns.map(heading), ...records.map((record) => columns.map((column) => cell(record[column])))]);

/** One record, a line for each field. */
export const recordLines = (record: Item): string =>
  lines(Object.entries(record).map(([field, value]) => [field, cell(value)]));

/** As JSON, or as people read it. */
export const print = (value: unknown, { json }: Format, text: () => string): void =>
  void process.stdout.write(json ? `${JSON.stringify(value, undefined, 2)}\n` : text());

/** As `tableOf`, or as JSON. */
export const printRecords = (records: readonly Item[], columns: readonly string[], format: Format): void =>
  print(records, format, () => tableOf(records, columns));

/** As `recordLines`, or as JSON. */
export const printRecord = (record: Item, format: Format): void =>
  print(record, format, () => recordLines(record));
