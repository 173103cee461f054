import type { PresenceData } from '@roomwire/sdk';
import { useSyncExternalStore } from 'react';
import { feedOf } from './feed.js';
import { PresenceFeed, type PresenceState } from './presenceFeed.js';
import { useRoomwire } from './provider.js';

/**
 * Enters a room with what the actor says of itself, and lists who is there. A client is in one room at a time, so mount it for one room at a
 * time; the actor stays there until it enters another, or its connection ends.
 */
export const usePresence = (roomId: string, presence: PresenceData = {}): PresenceState => {
  const client = useRoomwire();
  const make = (): PresenceFeed => new PresenceFeed(client, roomId, presence);
  const feed = feedOf(client, ['presence', roomId, presence], make);
  return useSyncExternalStore(feed.watch, feed.snapshot, feed.snapshotOnServer);
};
