import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Database } from 'lmdb';
import type { RecordedMessage, ReplayRange } from '../../ports/messageStore.js';
import { liveMessages } from '../../wire/bus/liveMessage.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';

/** The layout of the tables; incremented with every change that an older version would misread. */
const dataFormat = 1;

/** All that is needed to find the messages of a time, so that no message is read to be passed over. */
export type MessageKey = [topic: string, sequence: number, recordedAt: number, expiresAt: number];

/** All tables are in one LMDB environment. */
export interface MessageTables {
  readonly environment: DurableEnvironment;
  readonly messages: Database<Buffer, MessageKey>;
  /** Expiry time to the key of the message. */
  readonly expiries: Database<MessageKey, [expiresAt: number, sequence: number]>;
  /** `sequence`: the last one that was given to a message. */
  readonly meta: Database<number, string>;
}

export const openMessageTables = async (path: string): Promise<MessageTables> => {
  const environment = openDurableEnvironment(path);
  const { root } = environment;
  try {
    const meta = root.openDB<number, string>('meta', { encoding: 'ordered-binary' });
    await requireDataFormat(environment, meta, path);
    return {
      environment,
      messages: root.openDB('messages', { encoding: 'binary' }),
      expiries: root.openDB('expiries', { encoding: 'ordered-binary' }),
      meta,
    };
  } catch (error) {
    await environment.close();
    throw error;
  }
};

const requireDataFormat = async (
  environment: DurableEnvironment,
  meta: Database<number, string>,
  path: string,
): Promise<void> => {
  const found = meta.get('dataFormat');
  if (found === undefined) await environment.transact(() => meta.putSync('dataFormat', dataFormat));
  else if (found !== dataFormat) {
    throw new Error(
      `The message store ${path} has data format ${found}; this program knows format ${dataFormat}`,
    );
  }
};

/** Of one length, because LMDB's keys are short, and an internal topic may be long. */
export const topicKey = (internalTopic: string): string =>
  createHash('sha256').update(internalTopic).digest('base64url');

const pageBytes = 2 * 1024 * 1024;
const pageMessages = 500;

/** The messages of a replay: how many there are, and the first and last of them. */
export interface Selection {
  readonly topic: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly sinceMs: number;
}

/** Reads keys alone: as many as the replay has, and those that have expired and were not removed yet. */
export const select = (
  { messages }: MessageTables,
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

/** Holds no transaction between two pages: messages that expire meanwhile are skipped. */
export async function* pagesOf(
  { messages }: MessageTables,
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

/** Removals per transaction: takes a few milliseconds, so that appends are not delayed. */
const stepMessages = 100;

/** Removes all that has expired, in steps, and returns how many messages there were. Ends when `now` returns no time. */
export const removeExpired = async (
  { environment, messages, expiries }: MessageTables,
  now: () => number | undefined,
): Promise<number> => {
  for (let removed = 0; ;) {
    const time = now();
    if (time === undefined) return removed;
    const due = [...expiries.getRange({ start: [0, 0], end: afterTime(time), limit: stepMessages })];
    if (due.length === 0) return removed;
    await environment.transact(() => {
      for (const { key, value } of due) {
        messages.removeSync(value);
        expiries.removeSync(key);
      }
    });
    removed += due.length;
  }
};

const afterTime = (time: number): [number, number] => [time, Number.POSITIVE_INFINITY];
