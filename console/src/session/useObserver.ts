import { connect, type Client, type ConnectionState } from '@roomwire/sdk';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { useProject } from './console.js';
import { gatewayUrl } from './gatewayUrl.js';

/**
 * A client of the socket as the project's observer, for as long as the component is there; undefined for a moment. `scope` is an
 * accessScopeId: another scope is another connection.
 */
export const useObserver = (scope?: string): Client | undefined => {
  const { access } = useProject();
  const [client, setClient] = useState<Client>();
  useEffect(() => {
    const made = connect({ url: gatewayUrl(), token: () => access.socketToken(scope) });
    setClient(made);
    return () => {
      setClient(undefined);
      void made.close();
    };
  }, [access, scope]);
  return client;
};

/** Whether a client is connected, as it changes. */
export const useClientState = (client: Client | undefined): ConnectionState | undefined => {
  const follow = useCallback(
    (onChange: () => void) => client?.on('state', onChange) ?? (() => undefined),
    [client],
  );
  return useSyncExternalStore(follow, () => client?.state);
};
