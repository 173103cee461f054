import type { Client, RoomwireError } from '@roomwire/sdk';

export interface Outcome {
  readonly onDone: () => void;
  /** Errors other than the lack of a connection. */
  readonly onError: (error: RoomwireError) => void;
}

/**
 * Tries on one connection after the other until it has worked: from then on the client does it again by itself. Where it reports an error about
 * `topic` it may have given up, and `attempt` is called again, which must do nothing if it has not. The function that is returned stops trying,
 * and telling.
 */
export const onceConnected = (
  client: Client,
  topic: string,
  attempt: () => Promise<unknown>,
  { onDone, onError }: Outcome,
): (() => void) => {
  let isTrying = false;
  let isDone = false;
  let isOver = false;
  const tryNow = (): void => {
    if (isOver || isDone || isTrying || client.state.name !== 'connected') return;
    isTrying = true;
    attempt().then(
      () => {
        isTrying = false;
        isDone = true;
        if (!isOver) onDone();
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
  const stopListening = [
    client.on('state', tryNow),
    client.on('error', (error) => {
      if (error.topic !== topic) return;
      isDone = false;
      tryNow();
    }),
  ];
  tryNow();
  return () => {
    isOver = true;
    for (const stop of stopListening) stop();
  };
};
