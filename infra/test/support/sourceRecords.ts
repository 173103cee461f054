import type { RecordSource, SourceRecord } from '../../src/ingest/sourceRecord.js';

interface Fields {
  readonly partition?: number;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly value?: string | Uint8Array | null;
}

const bytesOf = (value: string | Uint8Array): Uint8Array =>
  typeof value === 'string' ? Buffer.from(value) : value;

/** A record with the value `1` at this offset. */
export const sourceRecord = (
  offset: number,
  { partition = 0, key, headers = {}, value = '1' }: Fields = {},
): SourceRecord & { readonly value: Uint8Array } => ({
  partition,
  offset,
  key: key === undefined ? undefined : Buffer.from(key),
  // Mappings never see one without a value.
  value: (value === null ? undefined : bytesOf(value)) as Uint8Array,
  header: (name) => (headers[name] === undefined ? undefined : Buffer.from(headers[name])),
});

/** Gives the records, and ends. Knows what was done with, as `partition:offset`. */
export class FakeSource implements RecordSource {
  private readonly all: readonly SourceRecord[];
  readonly finished: string[] = [];

  constructor(...all: readonly SourceRecord[]) {
    this.all = all;
  }

  async *records(): AsyncGenerator<SourceRecord> {
    yield* this.all;
  }

  done(records: readonly SourceRecord[]): Promise<void> {
    this.finished.push(...records.map(({ partition, offset }) => `${partition}:${offset}`));
    return Promise.resolve();
  }
}
