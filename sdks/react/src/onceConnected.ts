import type { Client, RoomwireError } from '@roomwire/sdk';

export interface Outcome {
  readonly onDone: () => void;
  /** Errors other than the lack of a connection. */
  readonly onError: (error: RoomwireError) => void;
}

/**
 * Tries on one connection after the other until it has worked once: from then on the client does it again by itself. The function that it
 * returns stops trying, and telling.
 */
export const onceConnected = (
  client: Client,
  attempt: () => Promise<unknown>,
  { onDone, onError }: Outcome,
): (() => void) => {
  let isTrying = false;
  let isOver = false;
  const tryNow = (): void => {
    if (isOver || isTrying || client.state.name !== 'connected') return;
    isTrying = true;
    attempt().then(
      () => {
        if (!isOver) onDone();
        stop();
      },
      (error: RoomwireError) => {
        isTrying = false;
        if (isOver) return;
        if (error.error !== 'not_connected' && error.error !== 'connection_lost') onError(error);
        // It may be connected again already.
        else tryNow();
      },
    );
  };
  const stopListening = client.on('state', tryNow);
  const stop = (): void => {
    isOver = true;
    stopListening();
  };
  tryNow();
  return stop;
};
