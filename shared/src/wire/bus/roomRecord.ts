import type { Channel } from './channel.js';
import { decodeGroupRecord, encodeGroupRecord, type GroupRecord } from './groupRecord.js';
import { liveMessages, type LiveMessage } from './liveMessage.js';

/** An entry of a room's log, which all gateways read in one order: a message, or a command of one of its worker groups. */
export type RoomRecord = LiveMessage | GroupRecord;

export const isGroupRecord = (record: RoomRecord): record is GroupRecord =>
  (record as GroupRecord).kind !== undefined;

/** The first byte of an array that begins with a text; that of a message begins with a number. */
const beginsWithText = (bytes: Uint8Array): boolean => ((bytes[1] ?? 0) & 0xe0) === 0xa0;

/** The channel of the live messages, for readers of everything that is on it. */
export const roomRecords: Channel<RoomRecord> = {
  name: liveMessages.name,
  key: (record) => record.room,
  codec: {
    versions: liveMessages.codec.versions,
    encode: (record, version) =>
      isGroupRecord(record) ? encodeGroupRecord(record) : liveMessages.codec.encode(record, version),
    decode: (bytes) =>
      (beginsWithText(bytes) ? decodeGroupRecord(bytes) : undefined) ?? liveMessages.codec.decode(bytes),
  },
  // Commands of groups are neither traced nor kept.
  carried: (liveMessages.carried ?? []).map(({ header, of, onto }) => ({
    header,
    of: (record) => (isGroupRecord(record) ? undefined : of(record)),
    onto: (record, text) => (isGroupRecord(record) ? record : onto(record, text)),
  })),
};
