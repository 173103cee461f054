import { useSyncExternalStore } from 'react';
import { feedOf } from './feed.js';
import { OccupancyFeed, type OccupancyState } from './occupancyFeed.js';
import { useRoomwire } from './provider.js';

/** How many actors are in a room, large ones too, without entering it. */
export const useOccupancy = (roomId: string): OccupancyState => {
  const client = useRoomwire();
  const feed = feedOf(client, ['occupancy', roomId], () => new OccupancyFeed(client, roomId));
  return useSyncExternalStore(feed.watch, feed.snapshot, feed.snapshotOnServer);
};
