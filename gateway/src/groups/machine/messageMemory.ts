import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';

/** Measured on the heap, in bytes: the message with its ids, and what a group keeps about it. */
const overheadBytes = 800;
const filterBytes = 50;
const bytesPerCharacter = 2;

/** The memory that an open message takes, in bytes. */
export const messageMemory = ({ body, filters }: LiveMessage): number => {
  let bytes = overheadBytes + body.length;
  for (const filter of filters) bytes += filterBytes + bytesPerCharacter * filter.length;
  return bytes;
};
