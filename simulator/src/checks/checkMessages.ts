import type { History, Published, Subscribed } from '../run/history.js';

/** [WS-PUB-1] [WS-PUB-2] [WS-PUB-3] [WS-PUB-4]: what ordinary subscribers got, and in which order. */
export const checkMessages = (history: History, mayRepeat: boolean): void => {
  checkStoredOrder(history);
  for (const { connection, topic, id, actor } of history.deliveries) {
    const message = history.published[id];
    if (message?.topic !== topic)
      history.violated('delivery', `connection ${connection} got ${id} on ${topic}`);
    if (message?.actor === actor)
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
  message: Pick<Published, 'filter'> | undefined,
): boolean => filter === undefined || filter === message?.filter;

const checkFilters = (history: History): void => {
  for (const { id, connection, subscription } of history.deliveries) {
    const message = history.published[id];
    // A group may have assigned it before the filters changed: the order of its log counts.
    const isAssignedBefore = subscription?.group !== undefined && (message?.sentAt ?? 0) < subscription.from;
    if (subscription && !isAssignedBefore && !matches(subscription, message))
      history.violated('WS-FILTER-3', `connection ${connection} got message ${id} in spite of its filter`);
  }
};

/** The messages of one connection to one topic are on the bus in the order in which they were sent. */
const checkStoredOrder = (history: History): void => {
  const last = new Map<string, Published>();
  for (const message of history.published) {
    if (message.storedAs === undefined) continue;
    const key = `${message.connection} ${message.topic}`;
    const before = last.get(key);
    if (before !== undefined && (before.storedAs as number) > message.storedAs)
      history.violated('WS-PUB-3', `message ${message.id} is on the bus before ${before.id}`);
    last.set(key, message);
  }
};

const checkReceived = (history: History, { received, connection }: Subscribed, mayRepeat: boolean): void => {
  const seen = new Set<number>();
  let last = 0;
  for (const { id } of received) {
    const message = history.published[id];
    if (seen.has(id)) {
      if (!mayRepeat || message?.qos === 2)
        history.violated('WS-PUB-1', `connection ${connection} got message ${id} twice`);
      continue;
    }
    seen.add(id);
    // [WS-RETAIN-2] One that is retained may come as the last value.
    if (message === undefined || message.isRetained) continue;
    const place = message.storedAs ?? 0;
    if (place < last) history.violated('WS-PUB-3', `connection ${connection} got message ${id} too late`);
    last = Math.max(last, place);
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
    if (message.outcome !== 'accepted' || message.qos === 0) continue;
    // [WS-RETAIN-3] One that is retained does not come after a newer one.
    if (message.isRetained) continue;
    if (message.storedAs === undefined)
      history.violated('WS-PUB-4', `message ${message.id} is not on the bus`);
    for (const { subscribed, got, last } of subscriptions.get(message.topic) ?? []) {
      const { actor, from, until, connection } = subscribed;
      if (
        actor === message.actor ||
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
