import { RoomwireError } from '../errors.js';
import type { ErrorFrame } from './frames.js';

/** `too_many_filters (max 100)` has the name `too_many_filters`; the whole text stays in the message. */
export const protocolError = (frame: ErrorFrame): RoomwireError => {
  const { error, code, topic, hint, msgRef, maxSizeBytes, lobbyId } = frame;
  const [name = error] = error.split(' (', 1);
  const message = `The server refused ${requestOf(frame)}: ${error}`;
  return new RoomwireError(name, { message, code, topic, hint, msgRef, maxSizeBytes, lobbyId });
};

/** What it answers, as far as the frame tells. */
const requestOf = ({ topic, msgRef, lobbyId, ref }: ErrorFrame): string => {
  if (msgRef !== undefined) return `a publish to ${topic ?? 'a topic'}`;
  if (ref !== undefined) return `the history of ${topic ?? 'a topic'}`;
  if (lobbyId !== undefined) return `the lobby ${lobbyId}`;
  if (topic === undefined) return 'a request';
  return topic.split('/').length > 2 ? `the subscription to ${topic}` : `the presence in ${topic}`;
};
