import { acceptedAt, connectionOf } from '@roomwire/shared/wire/bus/messageId';
import type { Delivered, History } from '../run/history.js';
import type { Published } from '../run/published.js';

/** [WS-META-1] [WS-META-2] [WS-OWN-1]: who gets `meta`, what it says, and who gets what it has published itself. */
export const checkMeta = (history: History): void => {
  for (const delivered of history.deliveries) {
    const message = history.published[delivered.id];
    if (message === undefined) continue;
    const { connection, id, meta, subscription } = delivered;
    if (subscription && subscription.meta !== (meta !== undefined))
      history.violated(
        'WS-META-1',
        `connection ${connection} got message ${id} with ${JSON.stringify(meta)}`,
      );
    if (meta && !isOf(message, meta))
      history.violated(
        'WS-META-2',
        `connection ${connection} got message ${id} with ${JSON.stringify(meta)}`,
      );
    if (isEcho(history, delivered, message))
      history.violated('WS-OWN-1', `connection ${connection} got message ${id}, which it has published`);
  }
};

/** The same for all, since all copies of a message have one id. */
const isOf = (
  { actor, givenId, records }: Published,
  { id, at, from }: NonNullable<Delivered['meta']>,
): boolean => {
  if (from !== (actor === '' ? null : actor)) return false;
  // [WS-PUB-7] It may have been recorded, and not reached the bus. Who gets it after another member gets it as any other.
  if (records.length === 0) return givenId === undefined || id === givenId;
  return records.some(({ messageId }) => id === (givenId ?? messageId) && at === acceptedAt(messageId));
};

/** Live. A message that several connections have published is that of the first whose publish was decided. */
const isEcho = (
  { names }: History,
  { connection, isReplay, actor }: Delivered,
  message: Published,
): boolean => {
  // [WS-RETAIN-2] One that is retained may come as the last value.
  if (message.actor !== actor || isReplay || message.isRetained) return false;
  const name = names.get(connection);
  return (
    message.isOnlyOf(connection) || message.copies.some(({ messageId }) => connectionOf(messageId) === name)
  );
};
