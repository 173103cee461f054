import type { Channel } from './channel.js';
import { decodeGroupNews, encodeGroupNews, type GroupNews } from './groupNews.js';
import { liveMessages, type LiveMessage } from './liveMessage.js';

/** What happens in a room, in one order for everybody: its messages, and who of its worker groups gets them. */
export type RoomRecord = LiveMessage | GroupNews;

export const isGroupNews = (record: RoomRecord): record is GroupNews =>
  (record as GroupNews).kind !== undefined;

/** The first byte of an array that begins with a text; that of a message begins with a number. */
const beginsWithText = (bytes: Uint8Array): boolean => ((bytes[1] ?? 0) & 0xe0) === 0xa0;

/** The channel of the live messages, for those who want all that is on it. */
export const roomRecords: Channel<RoomRecord> = {
  name: liveMessages.name,
  key: (record) => record.room,
  codec: {
    encode: (record) => (isGroupNews(record) ? encodeGroupNews(record) : liveMessages.codec.encode(record)),
    decode: (bytes) =>
      (beginsWithText(bytes) ? decodeGroupNews(bytes) : undefined) ?? liveMessages.codec.decode(bytes),
  },
  // News of groups are not traced.
  trace: {
    of: (record) => (isGroupNews(record) ? undefined : record.traceparent),
    onto: (record, traceparent) => (isGroupNews(record) ? record : { ...record, traceparent }),
  },
};
