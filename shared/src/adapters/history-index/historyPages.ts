import type { Buffer } from 'node:buffer';
import type { KeptMessage } from '../../ports/history.js';
import type { Place } from '../../wire/protocol/position.js';
import { keptMessage, keysOf, type HistoryTables, type MessageKey } from './historyTables.js';
import { isUpTo } from './intake.js';

/** Somewhat more than what most readers want, for all of a page is decoded. */
const pageMessages = 128;
const pageBytes = 2 * 1024 * 1024;

export interface PageOptions {
  readonly deletedTo: Place | undefined;
  /** Throws where no more can be read. */
  readonly assertOpen: () => void;
}

/** Messages behind a place. Holds no transaction between two pages. */
export async function* oldestFirst(
  { messages }: HistoryTables,
  topicKey: string,
  after: Place | undefined,
  options: PageOptions,
): AsyncGenerator<readonly KeptMessage[]> {
  const { start, end } = keysOf(topicKey);
  for (let from = after && keyOf(topicKey, after); ;) {
    options.assertOpen();
    const range = { start: from ?? start, end, exclusiveStart: from !== undefined };
    const page = pageOf(messages.getRange(range), options.deletedTo);
    if (page.messages.length > 0) yield page.messages;
    if (page.last === undefined) return;
    from = page.last;
  }
}

/** Messages before a place, the newest first, in the same way. */
export async function* newestFirst(
  { messages }: HistoryTables,
  topicKey: string,
  before: Place | undefined,
  options: PageOptions,
): AsyncGenerator<readonly KeptMessage[]> {
  const { start, end } = keysOf(topicKey);
  for (let from = before && keyOf(topicKey, before); ;) {
    options.assertOpen();
    const range = { start: from ?? end, end: start, reverse: true, exclusiveStart: from !== undefined };
    const page = pageOf(messages.getRange(range), options.deletedTo);
    if (page.messages.length > 0) yield page.messages;
    if (page.last === undefined) return;
    from = page.last;
  }
}

const keyOf = (topicKey: string, { epoch, offset }: Place): MessageKey => [topicKey, epoch, offset];

interface Page {
  readonly messages: readonly KeptMessage[];
  /** Where the next one goes on; undefined at the end. */
  readonly last: MessageKey | undefined;
}

const pageOf = (
  range: Iterable<{ readonly key: MessageKey; readonly value: Buffer }>,
  deletedTo: Place | undefined,
): Page => {
  const messages: KeptMessage[] = [];
  let [looked, bytes] = [0, 0];
  for (const { key, value } of range) {
    const [, epoch, offset] = key;
    if (!isUpTo({ epoch, offset }, deletedTo)) messages.push(keptMessage(key, value));
    looked += 1;
    bytes += value.length;
    if (looked === pageMessages || bytes > pageBytes) return { messages, last: key };
  }
  return { messages, last: undefined };
};
