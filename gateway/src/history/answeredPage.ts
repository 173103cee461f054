import type { HistoryPage } from '@roomwire/shared/history/historyPage';
import type { HistoryTopic, KeptMessage } from '@roomwire/shared/ports/history';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import {
  answeredBytes,
  type AnsweredHistory,
  type AnsweredMessage,
} from '@roomwire/shared/wire/protocol/historyFrame';
import { messageData, messageFilter } from '@roomwire/shared/wire/protocol/messageParts';
import { positionOf } from '@roomwire/shared/wire/protocol/position';
import { metaOf } from '../fanout/messageFrames.js';

export type AnsweredPage = Pick<AnsweredHistory, 'messages' | 'next' | 'gap'>;

/** What the answer has beside its messages. */
const otherBytes = 2_048;

/** [WS-HIST-12] As much of a page as a frame has room for. */
export const answerOf = (topic: HistoryTopic, { messages, next, gap }: HistoryPage): AnsweredPage => {
  const answered: AnsweredMessage[] = [];
  let bytes = otherBytes;
  for (const kept of messages) {
    const message = answeredMessage(topic, kept);
    bytes += answeredBytes(message);
    const last = answered.at(-1);
    if (last !== undefined && bytes > limitTable.frameBytes.value)
      return { messages: answered, next: last.position, gap };
    answered.push(message);
  }
  return { messages: answered, next, gap };
};

const answeredMessage = (topic: HistoryTopic, { message, place }: KeptMessage): AnsweredMessage => {
  const { id, at, from } = metaOf(message);
  const { body } = message;
  return {
    ...{ id, at, from, position: positionOf(topic, place) },
    filter: messageFilter(body),
    data: messageData(body),
  };
};
