import { randomUUID } from 'node:crypto';
import {
  type CallWriter,
  caughtUpResponse,
  checkpointResponse,
  confirmationResponse,
  eventResponse,
} from './responses.js';
import type { EventFilter } from './eventFilter.js';
import type { TransactionLog } from './transactionLog.js';

/** The subscriptions that are open, for the tests to look at and to break. */
export type Subscriptions = Set<OpenSubscription>;

export interface OpenSubscription {
  /** Where it went on from. */
  readonly after: bigint | undefined;
  readonly writer: CallWriter;
  /** How many events were sent. */
  sent: number;
}

export interface SubscribeOptions {
  readonly after: bigint | undefined;
  readonly matches: EventFilter;
  /** A checkpoint after so many events, whether they pass the filter or not; none without a filter. */
  readonly checkpointInterval: number | undefined;
}

/** What is there, with a checkpoint now and then, the news that it has caught up, then whatever comes, until the call is over. */
export const subscribeToAll = async (
  log: TransactionLog,
  subscriptions: Subscriptions,
  writer: CallWriter,
  options: SubscribeOptions,
): Promise<void> => {
  const subscription: OpenSubscription = { after: options.after, writer, sent: 0 };
  subscriptions.add(subscription);
  try {
    await writer.write(confirmationResponse(randomUUID()));
    await pump(log, subscription, options);
  } finally {
    subscriptions.delete(subscription);
  }
};

const pump = async (
  log: TransactionLog,
  subscription: OpenSubscription,
  options: SubscribeOptions,
): Promise<void> => {
  const { writer } = subscription;
  const { after, matches, checkpointInterval } = options;
  let next = after === undefined ? 0 : log.indexOf(after + 1n);
  let considered = 0;
  let live = false;
  while (!writer.isOver) {
    const event = log.at(next);
    if (event !== undefined) {
      next += 1;
      considered += 1;
      if (matches(event)) {
        await writer.write(eventResponse(event));
        subscription.sent += 1;
      }
      if (checkpointInterval && considered % checkpointInterval === 0)
        await writer.write(checkpointResponse(event.position));
      continue;
    }
    const growth = log.growth();
    if (!live) {
      live = true;
      await writer.write(caughtUpResponse());
    }
    await Promise.race([growth, writer.over]);
  }
};
