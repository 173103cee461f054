import type { ConnectionState } from '@roomwire/sdk';
import { useCallback, useSyncExternalStore } from 'react';
import { useRoomwire } from './provider.js';

/** How the client is connected; renders again at every change. */
export const useConnectionState = (): ConnectionState => {
  const client = useRoomwire();
  const watch = useCallback((listener: () => void) => client.on('state', listener), [client]);
  const state = (): ConnectionState => client.state;
  return useSyncExternalStore(watch, state, state);
};
