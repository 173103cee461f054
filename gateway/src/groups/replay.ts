import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { StoredGroup } from '@roomwire/shared/ports/groupStore';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import { madeAt } from './passed.js';

/** The member that is given what was recorded. */
export interface ReplayTarget {
  /** At most so many messages; undefined where the topic is not replayed. */
  readonly limit: number | undefined;
  mayHave(message: LiveMessage): boolean;
  begin(count: number): void;
  /** False when it has left. Resolves when there is room for more. */
  give(message: LiveMessage): Promise<boolean>;
  end(replayed: number): void;
}

/** Messages of the topic that are looked at, the newest. */
const mostRecorded = 100_000;
/** A message is recorded after it was made; how far the clocks of two moments may be apart. */
const marginMs = 10_000;

/**
 * [WS-GROUP-10] Gives a member what a group has missed, the oldest first. The record is read twice, because the number comes first
 * and what there is may be more than should be held in memory. Resolves with the ids, or with nothing when the member has left.
 */
export const replay = async (
  record: MessageStore,
  stored: StoredGroup,
  target: ReplayTarget,
): Promise<readonly string[] | undefined> => {
  if (target.limit === undefined) return [];
  const ids = await missedIds(record, stored, target, target.limit);
  if (ids.size === 0) return [];
  const given: string[] = [];
  target.begin(ids.size);
  for await (const message of recorded(record, stored)) {
    if (!ids.delete(message.id)) continue;
    if (!(await target.give(message))) return undefined;
    given.push(message.id);
    if (ids.size === 0) break;
  }
  target.end(given.length);
  return given;
};

/** The newest ones. */
const missedIds = async (
  record: MessageStore,
  stored: StoredGroup,
  target: ReplayTarget,
  limit: number,
): Promise<Set<string>> => {
  const [done, undone] = [new Set(stored.done), new Set(stored.undone)];
  const isMissed = ({ id }: LiveMessage): boolean =>
    undone.has(id) || (madeAt(id) >= stored.sinceMs && !done.has(id));
  const ids = new Set<string>();
  for await (const message of recorded(record, stored)) {
    if (!isMissed(message) || !target.mayHave(message)) continue;
    ids.add(message.id);
    if (ids.size > limit) ids.delete(ids.values().next().value as string);
  }
  return ids;
};

const recorded = async function* (record: MessageStore, stored: StoredGroup): AsyncGenerator<LiveMessage> {
  const oldest = stored.undone.reduce((time, id) => Math.min(time, madeAt(id)), stored.sinceMs);
  const range = { sinceMs: oldest - marginMs, limit: mostRecorded };
  const { pages } = await record.replay(stored.topic, range);
  for await (const page of pages) for (const { message } of page) yield message;
};
