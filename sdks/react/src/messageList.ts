import type { Message } from '@roomwire/sdk';

/** The oldest first. */
export type MessageList = readonly Message[];

/**
 * With a message at its place: by its position, where it has one, and else at the end. One that is there already stays as it is, unless it had no
 * position, as what this client has published has none until it is replayed.
 */
export const inserted = (list: MessageList, message: Message): MessageList => {
  const id = message.meta?.id;
  const same = id === undefined ? -1 : list.findLastIndex(({ meta }) => meta?.id === id);
  if (same >= 0 && !isPlaced(list[same], message)) return list;
  const rest = same < 0 ? list : list.toSpliced(same, 1);
  const next = rest.findIndex((other) => isBehind(other, message));
  return rest.toSpliced(next < 0 ? rest.length : next, 0, message);
};

/** Whether only the other of two copies of a message has a position. */
const isPlaced = (one: Message | undefined, other: Message): boolean =>
  one?.meta?.position === undefined && other.meta?.position !== undefined;

const isBehind = ({ meta }: Message, { meta: other }: Message): boolean =>
  meta?.position !== undefined && other?.position !== undefined && meta.position > other.position;

/** From which on `loadEarlier` goes back. */
export const oldestPosition = (list: MessageList): string | undefined =>
  list.find(({ meta }) => meta?.position !== undefined)?.meta?.position;
