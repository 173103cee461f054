'use client';
/** Roomwire in React: everything that is public. */
export { RoomwireProvider, useRoomwire } from './provider.js';
export type { RoomwireProviderProps } from './provider.js';
export { useConnectionState } from './useConnectionState.js';
export { useTopic } from './useTopic.js';
export type { Topic } from './useTopic.js';
export { useMessages } from './useMessages.js';
export type { Messages, MessagesOptions } from './useMessages.js';
export { useOccupancy } from './useOccupancy.js';
export type { OccupancyState } from './occupancyFeed.js';
export { usePresence } from './usePresence.js';
export type { PresenceState } from './presenceFeed.js';
export type { SubscriptionState } from './subscribeWhile.js';
