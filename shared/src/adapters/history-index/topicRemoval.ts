import type { Place } from '../../wire/protocol/position.js';
import { headerOf, keysOf, type HistoryTables, type MessageKey, type TopicEntry } from './historyTables.js';
import { isUpTo, laterOf, type Standing } from './intake.js';
import { ownedTopic, ownersOf, type OwnedTopic } from './keptTopics.js';
import { expiryOf, isRemovable } from './removal.js';

/** Removals in one transaction, which takes a few milliseconds. */
const step = 200;
const stepBytes = 8 * 1024 * 1024;

export interface RemovedMessages {
  readonly entry: TopicEntry;
  readonly count: number;
  /** The oldest message that is left; undefined where none is. */
  readonly next: Standing | undefined;
}

/**
 * Within a transaction: removes messages from the oldest on, as long as they are to be removed, and not too many at once. Who calls writes
 * the entry.
 */
export const removeOldest = (
  { messages }: HistoryTables,
  key: string,
  entry: TopicEntry,
  limit: number,
  isToRemove: (message: Standing) => boolean,
): RemovedMessages => {
  const removed: MessageKey[] = [];
  let removedTo = entry.removedTo;
  let [next, bytes]: [Standing | undefined, number] = [undefined, 0];
  for (const { key: at, value } of messages.getRange({ ...keysOf(key), limit: limit + 1 })) {
    const message = headerOf(at, value);
    if (removed.length === limit || bytes > stepBytes || !isToRemove(message)) {
      next = message;
      break;
    }
    removed.push(at);
    bytes += value.length;
    if (!isUpTo(message.place, entry.deletedTo)) removedTo = laterOf(removedTo, message.place);
  }
  for (const at of removed) messages.removeSync(at);
  return { entry: { ...entry, removedTo, oldest: next?.ordinal }, count: removed.length, next };
};

/** Within a transaction: has the topic looked at no later than then. Who calls writes the entry. */
export const addDue = (tables: HistoryTables, key: string, entry: TopicEntry, dueAt: number): TopicEntry =>
  entry.dueAt !== undefined && entry.dueAt <= dueAt ? entry : moveDue(tables, key, entry, dueAt);

const moveDue = (
  { due }: HistoryTables,
  key: string,
  entry: TopicEntry,
  dueAt: number | undefined,
): TopicEntry => {
  if (entry.dueAt !== undefined) due.removeSync([entry.dueAt, key]);
  if (dueAt !== undefined) due.putSync([dueAt, key], '');
  return { ...entry, dueAt };
};

/** Within a transaction: removes some of what has expired, is beyond the bounds or was deleted, and returns how many messages that were. */
export const removeSome = (tables: HistoryTables, key: string, now: number): number => {
  const entry = tables.topics.get(key);
  if (entry === undefined) return 0;
  const isToRemove = (message: Standing) => isRemovable(message, entry, now);
  const { entry: left, count, next } = removeOldest(tables, key, entry, step, isToRemove);
  const dueAt = next && (isToRemove(next) ? 0 : expiryOf(next.latestAt, entry));
  tables.topics.putSync(key, moveDue(tables, key, left, dueAt));
  return count;
};

/** Within a transaction: removes some of a topic, and with the last message the topic. Returns whether it is gone. */
export const removeSomeOfAll = (tables: HistoryTables, key: string): boolean => {
  const entry = tables.topics.get(key);
  if (entry === undefined) return true;
  if (removeOldest(tables, key, entry, step, () => true).next !== undefined) return false;
  moveDue(tables, key, entry, undefined);
  for (const owner of ownersOf(entry)) tables.owned.removeSync([owner, key]);
  tables.topics.removeSync(key);
  return true;
};

/** Within a transaction: everything of a topic up to a place is deleted from then on. */
export const markDeleted = (tables: HistoryTables, key: string, topic: OwnedTopic, to: Place): void => {
  const { topics, owned, removed } = tables;
  const found = topics.get(key);
  const owners = ownersOf(topic);
  if (found === undefined) {
    if (owners.some((owner) => removed.doesExist(owner))) return;
    for (const owner of owners) owned.putSync([owner, key], '');
  }
  const entry = found ?? { ...ownedTopic(topic), seconds: 0, messages: 0 };
  topics.putSync(key, addDue(tables, key, { ...entry, deletedTo: laterOf(entry.deletedTo, to) }, 0));
};

/** Within a transaction: what belongs to the owner makes no topic any more. */
export const markRemoved = ({ removed, removals }: HistoryTables, owner: string, now: number): void => {
  const before = removed.get(owner);
  if (before !== undefined) removals.removeSync([before, owner]);
  removed.putSync(owner, now);
  removals.putSync([now, owner], '');
};
