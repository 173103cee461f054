import type { Client, MessageHandler, RoomwireError, SubscribeOptions } from '@roomwire/sdk';
import { afterFormer } from './afterFormer.js';

export interface SubscriptionState {
  /** `idle` without a topic; `failed` when it was refused, or ended for the reason in `error`. */
  readonly status: 'idle' | 'subscribing' | 'subscribed' | 'failed';
  readonly error: RoomwireError | undefined;
}

export const subscribing: SubscriptionState = { status: 'subscribing', error: undefined };

/** Subscribes, and says how that goes until the function that it returns is called. */
export const subscribeWhile = (
  client: Client,
  topic: string,
  handler: MessageHandler,
  options: SubscribeOptions,
  onState: (state: SubscriptionState) => void,
): (() => void) => {
  let isOver = false;
  const tell = (state: SubscriptionState): void => {
    if (!isOver) onState(state);
  };
  const fail = (error: RoomwireError | undefined): void => tell({ status: 'failed', error });

  const stop = afterFormer(client, `topic ${topic}`, () => {
    const subscription = client.subscribe(
      topic,
      (message) => (isOver ? undefined : handler(message)),
      options,
    );
    subscription.then(({ ended }) => {
      tell({ status: 'subscribed', error: undefined });
      return ended.then(fail);
    }, fail);
    return () =>
      subscription.then(
        (made) => made.unsubscribe(),
        () => undefined,
      );
  });
  return () => {
    isOver = true;
    stop();
  };
};
