import type { LogSubscription } from '@roomwire/shared/ports/eventLog';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { backOffMs, sleep } from '@roomwire/shared/runtime/waiting';

export interface KeptSubscription {
  /** Subscribes from where the last subscription has come to. */
  readonly subscribe: () => Promise<LogSubscription>;
  /** Of a subscription, or of the attempt; the next attempt is made after so long. */
  readonly onFailure: (error: unknown, waitMs: number) => void;
  /** The longest wait between attempts. */
  readonly longestMs: number;
}

/** Subscribes to the log again and again while engines fail, until it is closed. */
export const keepSubscribed = ({ subscribe, onFailure, longestMs }: KeptSubscription): Service => {
  const closing = new AbortController();
  let subscription: LogSubscription | undefined;
  let running: Promise<void> = Promise.resolve();

  const follow = async (): Promise<void> => {
    subscription = await subscribe();
    if (closing.signal.aborted) await subscription.close();
    await subscription.done;
  };

  const run = async (): Promise<void> => {
    for (let failures = 1; !closing.signal.aborted; failures += 1) {
      try {
        await follow();
      } catch (error) {
        if (closing.signal.aborted) return;
        const waitMs = backOffMs({ firstMs: 100, longestMs }, failures);
        onFailure(error, waitMs);
        await sleep(waitMs, closing.signal);
      }
    }
  };

  return {
    async start() {
      running = run();
    },
    close: once(async () => {
      closing.abort();
      await subscription?.close();
      await running;
    }),
  };
};
