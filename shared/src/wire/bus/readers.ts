import { count, described, mapOf, object, text, type TypeOf } from '../schema.js';
import type { Channel } from './channel.js';
import { versionedRecord } from './recordCodec.js';

const announcement = object({
  reader: described('A process: a new id with every start', text),
  reads: described(
    'The newest version of records that it reads, by topic; nothing when it ends',
    mapOf(count),
  ),
});

/** What a process reads on the bus. A later version may add fields. */
export type ReaderAnnouncement = TypeOf<typeof announcement>;

export const readerAnnouncementRecord = versionedRecord('an announcement of a reader', 1, announcement);

/** Sent every few seconds, and before a process reads a topic for the first time. One partition, like that of gateways. */
export const readerAnnouncements: Channel<ReaderAnnouncement> = {
  name: 'readers',
  key: ({ reader }) => reader,
  codec: readerAnnouncementRecord.codec,
};
