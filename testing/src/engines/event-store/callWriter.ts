import { once } from 'node:events';
import type { ServerWritableStream, StatusObject } from '@grpc/grpc-js';

/** Sends the answers of one call at the pace of its reader. */
export interface CallWriter {
  /** The client has hung up, or the call has been ended here. */
  readonly isOver: boolean;
  /** Resolves when the call is over. */
  readonly over: Promise<void>;
  /** Resolves when the next may be sent. */
  write(bytes: Buffer): Promise<void>;
  end(): void;
  fail(status: Partial<StatusObject>): void;
  /** From now on nothing is sent any more, and nobody is told. */
  silence(): void;
}

export const createCallWriter = (call: ServerWritableStream<unknown, Buffer>): CallWriter => {
  const closing = new AbortController();
  const { signal } = closing;
  const over = once(signal, 'abort').then(() => undefined);
  const finish = (): void => closing.abort();
  call.once('cancelled', finish).once('close', finish).on('error', finish);
  let silent = false;

  return {
    get isOver() {
      return signal.aborted;
    },
    over,
    write: async (bytes) => {
      if (silent) await over;
      if (signal.aborted || call.write(bytes)) return;
      await once(call, 'drain', { signal }).catch(() => undefined);
    },
    end: () => {
      if (signal.aborted) return;
      finish();
      call.end();
    },
    fail: (status) => {
      if (signal.aborted) return;
      finish();
      call.emit('error', status);
    },
    silence: () => {
      silent = true;
    },
  };
};
