import type { WaitingBytes } from './waitingBytes.js';
import type { FrameSocket } from './wsListener.js';

/**
 * Counts what a socket reads while its `auth` is being decided, until the returned function is called. The frames behind an
 * `auth` may come at once, but they are a stranger's still: unlike those of a client they count from their first byte.
 * [WS-AUTH-16]
 */
export const countUndecided = (
  socket: Pick<FrameSocket, 'onRead'>,
  waiting: WaitingBytes,
  onEnough: () => void,
): (() => void) => {
  let own = 0;
  let isEnough = false;
  const stop = socket.onRead((bytes) => {
    own += bytes;
    waiting.add(bytes);
    if (isEnough || !waiting.isEnough(own)) return;
    isEnough = true;
    onEnough();
  });
  return () => {
    stop();
    waiting.add(-own);
  };
};
