import type { LogPosition, LogSubscriber, LogSubscription } from '../../../ports/eventLog.js';
import type { Logger } from '../../../ports/logger.js';
import type { Random } from '../../../ports/random.js';
import { once } from '../../../runtime/service.js';
import { createConnection } from './connection.js';
import { placeOf } from './place.js';
import { SubscriptionSession, type Progress, type SessionDeps } from './subscriptionSession.js';
import { backOffMs, sleep, withJitter } from '../../../runtime/waiting.js';

export interface SubscriptionDeps extends Omit<SessionDeps, 'connection'> {
  readonly url: string;
  readonly logger: Logger;
  readonly random: Random;
}

const betweenSessions = { firstMs: 100, longestMs: 3_000 };

/**
 * One session with the server after the other, each going on from where the subscriber has got to: the client does not
 * take up a subscription again that has failed, has ended without a word, or has gone quiet.
 */
export const subscribe = (
  deps: SubscriptionDeps,
  after: LogPosition | undefined,
  subscriber: LogSubscriber,
): LogSubscription => {
  const closing = new AbortController();
  const { signal } = closing;
  // Of its own, so that what befalls it does not befall the appends.
  const connection = createConnection(deps.url);
  const progress: Progress = { handled: after, checkpoint: undefined };
  let session: SubscriptionSession | undefined;

  const follow = async (): Promise<void> => {
    await Promise.resolve(); // Nothing is handed over before the subscriber holds its subscription.
    if (after !== undefined) placeOf(after);
    for (let failures = 1; !signal.aborted; failures += 1) {
      const { client } = connection;
      const before = progress.handled;
      session = new SubscriptionSession({ ...deps, connection }, progress, subscriber);
      const reason = await session.run();
      if (signal.aborted) return;
      if (progress.handled !== before) failures = 1;
      const resumesInMs = withJitter(backOffMs(betweenSessions, failures), deps.random.bytes(1)[0]! / 255);
      // Once is enough for an operator, however long the server stays away.
      const log = failures === 1 ? 'warn' : 'debug';
      deps.logger[log]('The subscription to the event log is taken up again', { error: reason, resumesInMs });
      connection.renew(client, reason);
      await sleep(resumesInMs, signal);
    }
  };

  const done = follow().finally(() => connection.close());
  done.catch(() => undefined); // Whoever does not look at `done` must not end the process.
  return {
    done,
    close: once(async () => {
      closing.abort();
      session?.stop();
      await done.catch(() => undefined);
    }),
  };
};
