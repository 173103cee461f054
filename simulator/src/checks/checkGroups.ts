import type { History, Subscribed } from '../run/history.js';
import type { Published } from '../run/published.js';
import { matches, mayHave } from './checkMessages.js';

interface Given {
  readonly at: number;
  readonly connection: number;
  readonly isReplay: boolean;
}

/** In which time a member that is gone, or a gateway that is, may make a message be given again. */
const aftermathMs = 40_000;

/** In which time a second copy that is taken for a new message goes to a member. */
const promptMs = 2_000;

/** In which time a message has gone to a member where nothing disturbs it. */
const settledMs = 10_000;

/** Longer than a gateway may stall, and until it is taken for dead. To the end is long enough. */
const attendedMs = 100_000;

/** [WS-GROUP-2] [WS-GROUP-4]: each message goes to one member, and again only where one has gone or been disturbed. */
export const checkGroups = (history: History, records: boolean, mayRepeat: boolean): void => {
  const groups = new Map<string, Subscribed[]>();
  for (const subscribed of history.subscriptions) {
    if (subscribed.group === undefined || subscribed.jobs !== undefined) continue;
    const key = `${subscribed.topic} ${subscribed.group}`;
    const members = groups.get(key) ?? [];
    groups.set(key, members);
    members.push(subscribed);
  }
  for (const members of groups.values()) checkGroup(history, members, { records, mayRepeat });
};

const checkGroup = (
  history: History,
  members: readonly Subscribed[],
  { records, mayRepeat }: { readonly records: boolean; readonly mayRepeat: boolean },
): void => {
  const given = givenBy(members);
  const unclear = unclearDeliveries(history, members);
  const ends = members.map(({ until }) => until);
  const isUneasy = (from: number, to: number): boolean =>
    history.isDisturbed(from - aftermathMs, to) || ends.some((end) => from - aftermathMs < end && end < to);
  const topic = members[0]?.topic;
  for (const message of history.published) {
    if (message.topic !== topic) continue;
    const times = given.get(message.id) ?? [];
    const [first, second] = times;
    if (second !== undefined && first !== undefined && !mayRepeat && !isUneasy(first.at, second.at))
      history.violated(
        'WS-GROUP-2',
        `message ${message.id} went to connections ${times.map(({ connection }) => connection).join(' and ')}`,
      );
    if (second && first && isTakenForNew(members, message, first, second))
      history.violated(
        'WS-ONCE-4',
        `message ${message.id} went to the group of ${second.connection} once more`,
      );
    if (first !== undefined || unclear.has(message.id)) continue;
    if (!message.isAccepted || !message.waitsForBus) continue;
    // It may have become a dead letter.
    if (message.isLater && message.storedAs === undefined) continue;
    // Without acknowledgements a message is done when it has been written to a connection, be it a broken one.
    if (!records && isUneasy(message.sentAt, storedAtOf(message) + settledMs)) continue;
    if (isAlwaysAttended(members, message))
      history.violated('WS-GROUP-4', `message ${message.id} went to no member of ${members[0]?.group}`);
  }
};

/** [WS-ONCE-4] Given again right behind a later copy, though the member that had it first was there all the time. */
const isTakenForNew = (
  members: readonly Subscribed[],
  { copies, isDeduplicated }: Published,
  first: Given,
  second: Given,
): boolean =>
  isDeduplicated &&
  !second.isReplay &&
  copies.some(({ at }) => first.at < at && at < second.at && second.at < at + promptMs) &&
  members.some(
    ({ connection, from, until }) => connection === first.connection && from < first.at && second.at < until,
  );

/** Once for each connection. */
const givenBy = (members: readonly Subscribed[]): Map<number, Given[]> => {
  const given = new Map<number, Given[]>();
  const lists = new Set(members.map(({ received }) => received));
  for (const received of lists) {
    const { connection } = members.find((member) => member.received === received) as Subscribed;
    for (const { id, at, isReplay } of received) {
      const all = given.get(id) ?? [];
      given.set(id, all);
      all.push({ at, connection, isReplay });
    }
  }
  for (const all of given.values()) all.sort((one, other) => one.at - other.at);
  return given;
};

/** Messages that came to a member while it was asking for something else, and may have come to it as that. */
const unclearDeliveries = (history: History, members: readonly Subscribed[]): ReadonlySet<number> => {
  const connections = new Set(members.map(({ connection }) => connection));
  return new Set(
    history.deliveries
      .filter(({ subscription, connection }) => subscription === undefined && connections.has(connection))
      .map(({ id }) => id),
  );
};

/** Whether a member that may have the message was there at any time from its publish on, for long enough. */
const isAlwaysAttended = (members: readonly Subscribed[], message: Published): boolean => {
  const eligible = members.filter((member) => mayHave(member, message) && matches(member, message));
  const enough = storedAtOf(message) + attendedMs;
  let attended = message.sentAt;
  for (let isLonger = true; isLonger && attended < enough;) {
    isLonger = false;
    for (const { from, until } of eligible)
      if (from <= attended && attended < until) {
        attended = until;
        isLonger = true;
      }
  }
  return attended >= enough;
};

/** It may have been published again for a long time before. */
const storedAtOf = ({ copies, sentAt }: Published): number => copies[0]?.at ?? sentAt;
