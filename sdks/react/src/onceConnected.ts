import type { Client, RoomwireError } from '@roomwire/sdk';

/**
 * Tries on one connection after the other until it has worked once: from then on the client does it again by itself. Errors other than the lack
 * of a connection go to `onError`. The function that it returns stops trying.
 */
export const onceConnected = (
  client: Client,
  attempt: () => Promise<void>,
  onError: (error: RoomwireError) => void,
): (() => void) => {
  let isTrying = false;
  const tryNow = (): void => {
    if (isTrying || client.state.name !== 'connected') return;
    isTrying = true;
    attempt().then(
      () => stop(),
      (error: RoomwireError) => {
        isTrying = false;
        if (error.error !== 'not_connected' && error.error !== 'connection_lost') onError(error);
        // It may be connected again already.
        else tryNow();
      },
    );
  };
  const stop = client.on('state', tryNow);
  tryNow();
  return stop;
};
