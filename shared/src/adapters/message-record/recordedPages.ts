import { liveMessages } from '../../wire/bus/liveMessage.js';
import type { RecordedMessage, ReplayRange } from '../../ports/messageRecord.js';
import type { MessageKey, RecordTables } from './recordTables.js';

const pageBytes = 2 * 1024 * 1024;
const pageMessages = 500;

/** The messages of a replay: how many there are, and from which to which they stand. */
export interface Selection {
  readonly topic: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly sinceMs: number;
}

/** Reads keys alone: as many as the replay has, and those that have expired and were not removed yet. */
export const select = (
  { messages }: RecordTables,
  topic: string,
  { sinceMs, limit }: ReplayRange,
  now: number,
): Selection => {
  let [count, first, last] = [0, 0, 0];
  if (limit <= 0) return { topic, count, first, last, sinceMs };
  for (const [, sequence, recordedAt, expiresAt] of messages.getKeys(newestFirst(topic))) {
    if (recordedAt < sinceMs) break;
    if (expiresAt <= now) continue;
    if (count === 0) last = sequence;
    first = sequence;
    if (++count === limit) break;
  }
  return { topic, count, first, last, sinceMs };
};

const newestFirst = (topic: string) => ({
  start: [topic, Number.POSITIVE_INFINITY] as unknown as MessageKey,
  end: [topic, 0] as unknown as MessageKey,
  reverse: true,
});

/** Between two pages nothing is held: what expires meanwhile is passed over. */
export async function* pagesOf(
  { messages }: RecordTables,
  { topic, count, first, last }: Selection,
  now: () => number,
): AsyncGenerator<readonly RecordedMessage[]> {
  let from = first;
  while (count > 0 && from <= last) {
    const page: RecordedMessage[] = [];
    let bytes = 0;
    const range = {
      start: [topic, from] as unknown as MessageKey,
      end: [topic, last + 1] as unknown as MessageKey,
    };
    from = last + 1;
    for (const { key, value } of messages.getRange(range)) {
      const [, sequence, recordedAt, expiresAt] = key;
      if (page.length === pageMessages || bytes > pageBytes) {
        from = sequence;
        break;
      }
      if (expiresAt <= now()) continue;
      bytes += value.length;
      page.push({ message: liveMessages.codec.decode(value), recordedAt });
    }
    if (page.length > 0) yield page;
  }
}
