import type { EnterOptions, PresenceData } from '@roomwire/sdk';
import { useCallback, useSyncExternalStore } from 'react';
import { feedOf } from './feed.js';
import { PresenceFeed, type PresenceState } from './presenceFeed.js';
import { useRoomwire } from './provider.js';

/**
 * Enters a room with what the actor says of itself, and lists who is there. What changes of it is announced; of several presences in a room the
 * newest applies, with its `keep`. With `keep` it is in as many rooms as are mounted, and leaves one that no component has any more.
 * Without it, mount one room at a time: the actor leaves a room when it enters another, or its connection ends.
 */
export const usePresence = (
  roomId: string,
  presence: PresenceData = {},
  { keep = false }: EnterOptions = {},
): PresenceState => {
  const client = useRoomwire();
  const feed = feedOf(client, ['presence', roomId], () => new PresenceFeed(client, roomId));
  // The same for new objects that are equal.
  const watch = useCallback(
    (listener: () => void) => feed.watchAs(presence, { keep }, listener),
    [feed, JSON.stringify(presence), keep],
  );
  return useSyncExternalStore(watch, feed.snapshot, feed.snapshotOnServer);
};
