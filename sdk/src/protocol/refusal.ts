import { RoomwireError } from '../errors.js';
import type { ErrorFrame } from './frames.js';

/** `too_many_filters (max 100)` has the name `too_many_filters`; the whole text stays in the message. */
export const refusalOf = ({
  error,
  code,
  topic,
  hint,
  msgRef,
  maxSizeBytes,
  lobbyId,
}: ErrorFrame): RoomwireError => {
  const [name = error] = error.split(' (', 1);
  const message = `The server answered ${error}`;
  return new RoomwireError(name, { message, code, topic, hint, msgRef, maxSizeBytes, lobbyId });
};
