import type { Delivered, History, Published, Subscribed } from '../run/history.js';

/** [WS-PUB-1] [WS-PUB-2] [WS-PUB-3] [WS-PUB-4]: what ordinary subscribers got, and in which order. */
export const checkMessages = (history: History, mayRepeat: boolean): void => {
  checkStoredOrder(history);
  const byConnection = new Map<string, Delivered[]>();
  for (const delivered of history.deliveries) {
    const { connection, topic, id, actor } = delivered;
    const message = history.published[id];
    if (message?.topic !== topic)
      history.violated('delivery', `connection ${connection} got ${id} on ${topic}`);
    if (message?.actor === actor)
      history.violated('WS-PUB-2', `connection ${connection} got its own message ${id}`);
    if (!delivered.isOrdinary) continue;
    const key = `${connection} ${topic}`;
    const all = byConnection.get(key) ?? [];
    byConnection.set(key, all);
    all.push(delivered);
  }
  for (const deliveries of byConnection.values()) checkDeliveries(history, deliveries, mayRepeat);
  checkAcknowledged(history);
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

const checkDeliveries = (history: History, deliveries: readonly Delivered[], mayRepeat: boolean): void => {
  const seen = new Set<number>();
  let last = 0;
  for (const { id, connection } of deliveries) {
    const message = history.published[id];
    if (seen.has(id)) {
      if (!mayRepeat || message?.qos === 2)
        history.violated('WS-PUB-1', `connection ${connection} got message ${id} twice`);
      continue;
    }
    seen.add(id);
    const place = message?.storedAs ?? 0;
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
    const places = inTime.map(({ id }) => history.published[id]?.storedAs ?? 0);
    const all = subscriptions.get(subscribed.topic) ?? [];
    subscriptions.set(subscribed.topic, all);
    all.push({ subscribed, got: new Set(inTime.map(({ id }) => id)), last: Math.max(0, ...places) });
  }
  for (const message of history.published) {
    // [WS-PUB-10] With QoS 0 it was sent, and no more.
    if (message.outcome !== 'accepted' || message.qos === 0) continue;
    if (message.storedAs === undefined)
      history.violated('WS-PUB-4', `message ${message.id} is not on the bus`);
    for (const { subscribed, got, last } of subscriptions.get(message.topic) ?? []) {
      const { actor, from, until, connection } = subscribed;
      if (actor === message.actor || message.sentAt < from || message.sentAt >= until || got.has(message.id))
        continue;
      // To the end, or until something later came.
      if (until === Infinity || last > (message.storedAs ?? Infinity))
        history.violated('WS-PUB-1', `connection ${connection} did not get message ${message.id}`);
    }
  }
};
