import { Binary } from 'mongodb';
import {
  ownersOf,
  type BegunDelivery,
  type NewSchedule,
  type ScheduledPublish,
} from '../../ports/scheduleStore.js';

/** What is looked for has a field of its own. */
export interface ScheduleDocument {
  /** The `scheduledId`. */
  readonly _id: string;
  readonly shard: number;
  readonly deliverAt: number;
  readonly place: string;
  readonly projectId: string;
  readonly topic: string;
  readonly owners: readonly string[];
  readonly bytes: number;
  /** Of the owner that has begun its delivery; 0 while nobody has. */
  readonly term: number;
  readonly messageId: string | null;
  /** The publish as JSON: names that clients choose are never keys of the document. */
  readonly publish: string;
  readonly data: Binary;
}

export type ListedDocument = Pick<ScheduleDocument, 'publish'>;

export const documentOf = ({ publish, data }: NewSchedule): ScheduleDocument => {
  const { scheduledId, shard, deliverAt, place, projectId, topic, bytes } = publish;
  return {
    ...{ _id: scheduledId, shard, deliverAt, place, projectId, topic, bytes },
    ...{ owners: ownersOf(publish), term: 0, messageId: null },
    ...{ publish: JSON.stringify(publish), data: new Binary(data) },
  };
};

export const publishIn = ({ publish }: ListedDocument): ScheduledPublish =>
  JSON.parse(publish) as ScheduledPublish;

/** `messageId`: what this owner would have called it. */
export const begunIn = (document: ScheduleDocument, messageId: string): BegunDelivery => ({
  publish: publishIn(document),
  data: document.data.value(),
  messageId: document.messageId ?? messageId,
  isRepeated: document.messageId !== messageId,
});
