import type { Client } from '@roomwire/sdk';
import { createContext, createElement, useContext, type ReactElement, type ReactNode } from 'react';

const ClientContext = createContext<Client | undefined>(undefined);

export interface RoomwireProviderProps {
  /** Made by `connect`, outside of all components; whoever has made it closes it. */
  readonly client: Client;
  readonly children?: ReactNode;
}

/** Gives the hooks of all components in it their client. */
export const RoomwireProvider = ({ client, children }: RoomwireProviderProps): ReactElement =>
  createElement(ClientContext.Provider, { value: client }, children);

/** The client itself, for what has no hook. */
export const useRoomwire = (): Client => {
  const client = useContext(ClientContext);
  if (client === undefined) throw new Error('There is no <RoomwireProvider> around this component');
  return client;
};
