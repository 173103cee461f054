import type { BatchSender } from './batchSender.js';
import { batchesOf, type Weighed } from './batches.js';
import type { MessageResult } from './publishApi.js';

export interface LinesOptions {
  /** Of all lines, which are then the data; undefined where each line is a message with a topic. */
  readonly topic: string | undefined;
  /** Before the number of the line, in the ids of messages that have none. */
  readonly idPrefix: string;
  readonly sender: Pick<BatchSender, 'send'>;
  readonly onFailed: (line: number, why: string) => void;
}

/** What has become of lines. */
export interface Tally {
  published: number;
  /** Of these, how many had been published before. */
  duplicates: number;
  failed: number;
}

interface Line extends Weighed {
  readonly number: number;
}

/**
 * Publishes the lines in their order, counting into the tally, which holds when it rejects as well: with what `sender` rejects
 * with. Empty lines are passed over.
 */
export const publishLines = async (
  lines: AsyncIterable<string>,
  options: LinesOptions,
  tally: Tally,
): Promise<void> => {
  const { sender, onFailed } = options;
  const fail = (line: number, why: string): void => {
    tally.failed += 1;
    onFailed(line, why);
  };
  const count = (batch: readonly Line[], results: readonly MessageResult[]): void => {
    for (const [index, result] of results.entries()) {
      if ('error' in result) fail(batch[index]?.number ?? 0, describe(result));
      else tally.published += 1;
      if ('duplicate' in result && result.duplicate === true) tally.duplicates += 1;
    }
  };
  for await (const batch of batchesOf(messagesOf(lines, options, fail))) {
    const results: MessageResult[] = [];
    const sending = sender.send(
      batch.map(({ json }) => json),
      results,
    );
    await sending.finally(() => count(batch, results));
  }
};

async function* messagesOf(
  lines: AsyncIterable<string>,
  options: LinesOptions,
  fail: (line: number, why: string) => void,
): AsyncGenerator<Line> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const message = messageOf(line, `${options.idPrefix}:${number}`, options.topic);
    if ('why' in message) fail(number, message.why);
    else yield { number, json: JSON.stringify(message.fields) };
  }
}

type Read = { readonly fields: object } | { readonly why: string };

const messageOf = (line: string, id: string, topic: string | undefined): Read => {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { why: 'not JSON' };
  }
  if (topic !== undefined) return { fields: { topic, data: value, id } };
  return isMessage(value)
    ? { fields: { ...value, id: value.id ?? id } }
    : { why: 'not a message {"topic":"app/room/topic","data":…}; name a topic to publish lines as they are' };
};

/** A null `id` counts as missing, as it does in the API. */
const isMessage = (value: unknown): value is { readonly id?: unknown } =>
  typeof value === 'object' &&
  value !== null &&
  'topic' in value &&
  typeof value.topic === 'string' &&
  ('data' in value || 'base64' in value);

const describe = ({ error, hint }: { readonly error: string; readonly hint?: string }): string =>
  hint === undefined ? error : `${error}: ${hint}`;
