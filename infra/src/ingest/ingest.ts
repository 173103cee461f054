import type { BatchSender } from '../publishing/batchSender.js';
import { batchesOf } from '../publishing/batches.js';
import type { MessageResult } from '../publishing/publishApi.js';
import type { RecordMapping } from './recordMapping.js';
import type { RecordSource, SourceRecord } from './sourceRecord.js';

export interface IngestOptions {
  readonly source: RecordSource;
  readonly mapping: RecordMapping;
  readonly sender: Pick<BatchSender, 'send'>;
  readonly signal: AbortSignal;
  /** Whether records that cannot be published are passed over, and not the end. */
  readonly passesOver: boolean;
  readonly onPassedOver: (record: SourceRecord, why: string) => void;
}

/** A record that cannot be published, and is not passed over. What stands in front of it is done with. */
export class RecordRefused extends Error {
  override readonly name = 'RecordRefused';
  readonly record: SourceRecord;

  constructor(record: SourceRecord, why: string) {
    super(why);
    this.record = record;
  }
}

interface Mapped {
  readonly json: string;
  readonly record: SourceRecord;
}

/**
 * Publishes records until the signal aborts. A record is done with when its message is accepted; so after an end of any
 * kind those of the last batch may come again, as duplicates. Rejects with `RecordRefused`, and with what `sender` rejects with.
 */
export const ingest = async (options: IngestOptions): Promise<void> => {
  const { source, sender } = options;
  for await (const batch of batchesOf(messagesOf(options))) {
    const results = await sender.send(batch.map(({ json }) => json));
    const refused = firstUnpublished(batch, results, options);
    await source.done((refused === -1 ? batch : batch.slice(0, refused)).map(({ record }) => record));
    if (refused !== -1)
      throw new RecordRefused(batch[refused]?.record as SourceRecord, whyOf(results[refused]) ?? '');
  }
};

async function* messagesOf(options: IngestOptions): AsyncGenerator<Mapped> {
  const { source, mapping, signal, passesOver, onPassedOver } = options;
  for await (const record of source.records(signal)) {
    // It says that its key is deleted, which no subscriber could tell from a message.
    if (!hasValue(record)) continue;
    const mapped = mapping(record);
    if ('json' in mapped) yield { json: mapped.json, record };
    else if (passesOver) onPassedOver(record, mapped.why);
    else throw new RecordRefused(record, mapped.why);
  }
}

const hasValue = (record: SourceRecord): record is SourceRecord & { readonly value: Uint8Array } =>
  record.value !== undefined;

/** Where the batch ends; -1 when it is done with as a whole. */
const firstUnpublished = (
  batch: readonly Mapped[],
  results: readonly MessageResult[],
  { passesOver, onPassedOver }: IngestOptions,
): number => {
  for (const [index, { record }] of batch.entries()) {
    const result = results[index];
    const why = whyOf(result);
    if (why === undefined) continue;
    // Of the quota nothing would be left for those behind it either.
    if (!passesOver || (result as { readonly error: string }).error === 'monthly_quota_exceeded')
      return index;
    onPassedOver(record, why);
  }
  return -1;
};

const whyOf = (result: MessageResult | undefined): string | undefined => {
  if (result === undefined || !('error' in result)) return undefined;
  return [result.error, result.hint].filter(Boolean).join(': ');
};
