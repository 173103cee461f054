import { Buffer } from 'node:buffer';
import type { HistoryPage } from '@roomwire/shared/history/historyPage';
import type { HistoryTopic, KeptMessage } from '@roomwire/shared/ports/history';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { answeredEntry, type AnsweredHistory } from '@roomwire/shared/wire/protocol/historyFrame';
import { messageParts } from '@roomwire/shared/wire/protocol/messageParts';
import { positionOf } from '@roomwire/shared/wire/protocol/position';
import { metaOf } from '../fanout/messageFrames.js';

export type AnsweredPage = Pick<AnsweredHistory, 'entries' | 'next' | 'gap'>;

/** What the answer has beside its messages and the `ref`. */
const otherBytes = 2_048;

/** [WS-HIST-12] As much of a page as a frame has room for. */
export const answerOf = (topic: HistoryTopic, page: HistoryPage, ref = ''): AnsweredPage => {
  const { messages, gap } = page;
  const entries: Uint8Array[] = [];
  let bytes = otherBytes + Buffer.byteLength(ref);
  let next: string | undefined;
  for (const kept of messages) {
    const position = positionOf(topic, kept.place);
    const entry = entryOf(kept, position);
    bytes += entry.length;
    if (entries.length > 0 && bytes > limitTable.frameBytes.value) return { entries, next, gap };
    entries.push(entry);
    next = position;
  }
  return { entries, next: page.next, gap };
};

const entryOf = ({ message }: KeptMessage, position: string): Uint8Array => {
  const { id, at, from } = metaOf(message, position);
  return answeredEntry({ id, at, from, position, ...messageParts(message.body) });
};
