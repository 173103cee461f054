import type { Delivered, History, Subscribed } from '../run/history.js';
import type { Published } from '../run/published.js';

/** [WS-PUB-1] [WS-PUB-2] [WS-PUB-3] [WS-PUB-4]: what ordinary subscribers got, and in which order. */
export const checkMessages = (history: History, mayRepeat: boolean): void => {
  checkStoredOrder(history);
  for (const delivered of history.deliveries) {
    const { connection, topic, id } = delivered;
    const message = history.published[id];
    if (message?.topic !== topic)
      history.violated('delivery', `connection ${connection} got ${id} on ${topic}`);
    if (message && isUnaskedOwn(delivered, message))
      history.violated('WS-PUB-2', `connection ${connection} got its own message ${id}`);
  }
  checkFilters(history);
  for (const subscribed of history.subscriptions)
    if (subscribed.group === undefined) checkReceived(history, subscribed, mayRepeat);
  checkAcknowledged(history);
};

/** [WS-FILTER-3] */
export const matches = (
  { filter }: Pick<Subscribed, 'filter'>,
  message: Pick<Published, 'filter'>,
): boolean => filter === undefined || filter === message.filter;

/** [WS-PUB-2] [WS-OWN-1] Whether the one who has published it does not keep it from the subscription. */
export const mayHave = (
  { actor, own, connection }: Pick<Subscribed, 'actor' | 'own' | 'connection'>,
  message: Published,
): boolean =>
  actor !== message.actor || (own && message.attempts.every((attempt) => attempt.connection !== connection));

/** A group may have assigned it before its member asked for something else: the order of its log counts. */
const isAssignedBefore = ({ group, from }: Subscribed, { sentAt }: Published): boolean =>
  group !== undefined && sentAt < from;

/** [WS-PUB-2] */
const isUnaskedOwn = ({ actor, subscription, wasOwn }: Delivered, message: Published): boolean => {
  if (message.actor !== actor) return false;
  return subscription && !isAssignedBefore(subscription, message) ? !subscription.own : !wasOwn;
};

const checkFilters = (history: History): void => {
  for (const { id, connection, subscription } of history.deliveries) {
    const message = history.published[id];
    if (!subscription || !message || isAssignedBefore(subscription, message)) continue;
    if (!matches(subscription, message))
      history.violated('WS-FILTER-3', `connection ${connection} got message ${id} in spite of its filter`);
  }
};

/** What one connection, or request, publishes to one topic is on the bus in the order in which it was sent. */
const checkStoredOrder = (history: History): void => {
  const last = new Map<string, { readonly id: number; readonly place: number }>();
  for (const { message, connection, outcome } of history.attempts) {
    const { id, topic, copies } = message;
    // [WS-LATER-2] Those are in the order of their times.
    if (message.isLater) continue;
    const isOnlyOne = message.isOnlyOf(connection) && message.attempts.length === 1;
    // Of one that was published several times only one that is accepted is known to have stored it.
    if (copies.length === 0 || (!isOnlyOne && outcome !== 'accepted')) continue;
    const key = `${connection} ${topic}`;
    const before = last.get(key);
    const from = before?.place ?? 0;
    const place = isOnlyOne ? message.storedAs : copies.find((copy) => copy.place > from)?.place;
    if (place === undefined || place < from)
      history.violated('WS-PUB-3', `message ${id} is on the bus before ${before?.id}`);
    last.set(key, { id, place: Math.max(from, place ?? 0) });
  }
};

const checkReceived = (history: History, { received, connection }: Subscribed, mayRepeat: boolean): void => {
  const seen = new Set<number>();
  let last = 0;
  for (const { id } of received) {
    const message = history.published[id];
    if (seen.has(id)) {
      if (!mayRepeat || message?.isDeduplicated)
        history.violated('WS-PUB-1', `connection ${connection} got message ${id} twice`);
      continue;
    }
    seen.add(id);
    // [WS-RETAIN-2] One that is retained may come as the last value.
    if (message === undefined || message.isRetained) continue;
    // A gateway that has not read the first copy delivers the second.
    const place = message.copies.find((copy) => copy.place > last)?.place;
    if (place === undefined)
      history.violated('WS-PUB-3', `connection ${connection} got message ${id} too late`);
    last = Math.max(last, place ?? 0);
  }
};

const checkAcknowledged = (history: History): void => {
  const subscriptions = new Map<
    string,
    { readonly subscribed: Subscribed; readonly got: Set<number>; last: number }[]
  >();
  for (const subscribed of history.subscriptions) {
    if (subscribed.group !== undefined) continue;
    const inTime = subscribed.received.filter(({ at }) => at < subscribed.until);
    const live = inTime
      .flatMap(({ id }) => history.published[id] ?? [])
      .filter(({ isRetained }) => !isRetained);
    const places = live.map(({ storedAs = 0 }) => storedAs);
    const all = subscriptions.get(subscribed.topic) ?? [];
    subscriptions.set(subscribed.topic, all);
    all.push({ subscribed, got: new Set(inTime.map(({ id }) => id)), last: Math.max(0, ...places) });
  }
  for (const message of history.published) {
    // [WS-PUB-10] With QoS 0 it was sent, and no more.
    if (!message.isAccepted || !message.waitsForBus) continue;
    // [WS-RETAIN-3] One that is retained does not come after a newer one.
    if (message.isRetained) continue;
    if (message.isLater && message.storedAs === undefined) continue;
    if (message.storedAs === undefined)
      history.violated('WS-PUB-4', `message ${message.id} is not on the bus`);
    for (const { subscribed, got, last } of subscriptions.get(message.topic) ?? []) {
      const { from, until, connection } = subscribed;
      if (
        !mayHave(subscribed, message) ||
        message.sentAt < from ||
        message.sentAt >= until ||
        got.has(message.id) ||
        !matches(subscribed, message)
      )
        continue;
      // To the end, or until something later came.
      if (until === Infinity || last > (message.storedAs ?? Infinity))
        history.violated('WS-PUB-1', `connection ${connection} did not get message ${message.id}`);
    }
  }
};
