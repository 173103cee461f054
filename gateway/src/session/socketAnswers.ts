import type { Clock } from '@roomwire/shared/ports/clock';
import type { Client } from '../access/client.js';
import type { PublishRate } from '../policy/rateLimits.js';
import type { PublishAnswers } from '../publishing/publisher.js';

interface PublishingClient extends Client {
  /** Undefined for no limit. */
  readonly publishRate: PublishRate | undefined;
}

/** What a session tells its client of each publish, and counts of its rate. */
export const socketAnswers = (session: PublishingClient, clock: Clock): PublishAnswers => ({
  get areOver() {
    return session.isOver;
  },

  counted: () => session.publishRate?.countAccepted(clock.monotonic()),

  /** [WS-PUB-4] Protocol 1 has no `published`. */
  accepted: ({ topic, msgRef, id }, { isDuplicate, scheduledId }) => {
    if (msgRef === undefined || session.identity.version === 1) return;
    session.send({ type: 'published', topic, msgRef, id, duplicate: isDuplicate || undefined, scheduledId });
  },

  refused: (frame, error) => {
    if (error !== 'brokerUnavailable') session.publishRate?.countRefused(clock.monotonic());
    session.sendError(error, frame);
  },
});
