import { RoomwireError } from '../errors.js';
import type { ErrorFrame } from './frames.js';

/** `too_many_filters (max 100)` has the name `too_many_filters`; the whole text stays in the message. */
export const protocolError = (frame: ErrorFrame): RoomwireError => {
  const { error } = frame;
  const [name = error] = error.split(' (', 1);
  return new RoomwireError(name, { ...frame, message: `${requestOf(frame)} refused: ${error}` });
};

/** What it answers, as far as the frame tells. */
const requestOf = ({ topic, msgRef, lobbyId, ref }: ErrorFrame): string => {
  if (msgRef !== undefined) return 'Publish';
  if (ref !== undefined) return 'History';
  if (lobbyId !== undefined) return 'Lobby';
  if (topic === undefined) return 'Request';
  return topic.split('/').length > 2 ? 'Subscription' : 'Presence';
};
