import type { Delivered, History } from '../run/history.js';
import type { Attempt, Published } from '../run/published.js';

/**
 * [WS-ONCE-1] [WS-ONCE-2] [WS-ONCE-3] [WS-ONCE-4]: what publishers have given ids to. `unsettled`: ids of messages of which the store was told that
 * they were sent, and does not know it, because it could not be reached.
 */
export const checkOnce = (history: History, unsettled: ReadonlySet<string>): void => {
  for (const messages of byId(history).values())
    for (const message of messages) {
      const others = messages.filter((other) => other !== message);
      checkIds(history, message, others);
      checkAnswers(history, message, others);
      if (!message.isLater && isKept(message, unsettled)) checkLaterPublishes(history, message, others);
    }
  checkDeliveries(history);
};

/** The messages of one publisher to one address with one id, which differ in their data. */
const byId = (history: History): Map<string, Published[]> => {
  const found = new Map<string, Published[]>();
  for (const message of history.published) {
    if (message.givenId === undefined) continue;
    const key = JSON.stringify([message.actor, message.topic, message.givenId]);
    const messages = found.get(key) ?? [];
    found.set(key, messages);
    messages.push(message);
  }
  return found;
};

const isAcknowledged = ({ outcome }: Attempt): boolean => outcome === 'accepted' || outcome === 'duplicate';

const isConflict = ({ error }: Attempt): boolean => error === 'publish_conflict';

/** Whether a message may have had the id at some time before: its publish was not refused over another one. */
const mayHaveHadId = ({ attempts }: Published, before: number): boolean =>
  attempts.some((attempt) => attempt.sentAt < before && !isConflict(attempt));

/** However often and by whomever it is published, it is one message, unless another one has had its id meanwhile. */
const checkIds = (history: History, { id, records }: Published, others: readonly Published[]): void => {
  const [first] = records;
  const second = records.find(({ messageId }) => messageId !== first?.messageId);
  if (second !== undefined && !others.some((other) => mayHaveHadId(other, second.at)))
    history.violated(
      'WS-ONCE-1',
      `message ${id} is on the bus as ${first?.messageId} and ${second.messageId}`,
    );
};

const checkAnswers = (history: History, { id, attempts }: Published, others: readonly Published[]): void => {
  for (const attempt of attempts) {
    const { answeredAt, outcome } = attempt;
    const wasPublished = attempts.some((each) => each !== attempt && each.sentAt < answeredAt);
    if (outcome === 'duplicate' && !wasPublished)
      history.violated('WS-ONCE-2', `message ${id} was a duplicate of nothing`);
    if (isConflict(attempt) && !others.some((other) => mayHaveHadId(other, answeredAt)))
      history.violated('WS-ONCE-3', `message ${id} was in conflict with nothing`);
  }
};

/** Whether the store knows that it was sent. */
const isKept = ({ copies, isAccepted }: Published, unsettled: ReadonlySet<string>): boolean =>
  isAccepted && copies.length > 0 && copies.every(({ messageId }) => !unsettled.has(messageId));

/** Once it has been acknowledged. */
const checkLaterPublishes = (history: History, message: Published, others: readonly Published[]): void => {
  const { id, attempts } = message;
  const acknowledged = attempts
    .filter(isAcknowledged)
    .reduce((first, { answeredAt }) => Math.min(first, answeredAt), Infinity);
  for (const attempt of attempts)
    if (attempt.sentAt > acknowledged && (attempt.outcome === 'accepted' || isConflict(attempt)))
      history.violated(
        'WS-ONCE-2',
        `message ${id} was published again, and was ${attempt.error ?? 'accepted'}`,
      );
  for (const other of others) {
    if (other.attempts.some((attempt) => attempt.sentAt > acknowledged && isAcknowledged(attempt)))
      history.violated('WS-ONCE-3', `message ${other.id} was accepted with the id of ${id}`);
    if (other.sentAt > acknowledged && other.records.length > 0)
      history.violated('WS-ONCE-3', `message ${other.id} is on the bus with the id of ${id}`);
  }
};

/** No connection gets it twice: the gateway remembers it for longer than the connection lasts. */
const checkDeliveries = (history: History): void => {
  const got = new Set<string>();
  for (const { connection, id, subscription, isReplay } of history.deliveries) {
    const message = history.published[id];
    // [WS-HIST-7] Subscribing again replays again.
    if (message?.givenId === undefined || message.isRetained || isReplay || !isOrdinary(subscription))
      continue;
    const key = `${connection} ${id}`;
    if (got.has(key)) history.violated('WS-ONCE-4', `connection ${connection} got message ${id} again`);
    got.add(key);
  }
};

/** No member of a worker group, as far as is known. */
const isOrdinary = (subscription: Delivered['subscription']): boolean =>
  subscription !== undefined && subscription.group === undefined;
