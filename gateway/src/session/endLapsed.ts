import { closes } from '@roomwire/shared/wire/protocol/closes';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Hub } from '../fanout/hub.js';
import type { Session } from './session.js';

interface LapseDeps {
  readonly clock: Clock;
  readonly hub: Hub;
  readonly presence: {
    /** Takes away a presence that nothing holds any more. */
    endLapsed(session: Session): void;
  };
}

/** Ends whatever of a session has run out: the actor, its client token, the grants that its subscriptions hang on. */
export const endLapsed = (session: Session, deps: LapseDeps): void => {
  if (session.isOver) return;
  const now = deps.clock.now();
  if (session.expiresAt <= now) session.link.close(closes.tokenExpired);
  else if (tokenExpiry(session) <= now) tokenExpired(session);
  else if (session.grantsHoldUntil <= now) grantsExpired(session, deps, now);
};

/** Milliseconds since 1970. */
const tokenExpiry = ({ clientToken }: Session): number =>
  (clientToken?.expiresAt ?? Number.POSITIVE_INFINITY) * 1000;

/** [WS-AUTH-10] */
const tokenExpired = ({ link }: Session): void => {
  link.send({ type: 'disconnect', reason: 'token_expired' });
  link.close(closes.clientTokenExpired);
};

/** [WS-GRANT-4] Silently, like every subscription that its rights are taken from. */
const grantsExpired = (session: Session, { hub, presence }: LapseDeps, now: number): void => {
  session.grantsHoldUntil = Number.POSITIVE_INFINITY;
  for (const [topic, subscription] of session.subscriptions) {
    if (subscription.access.until > now) {
      session.sustain(subscription, subscription.access);
    } else {
      session.subscriptions.delete(topic);
      hub.leave(subscription);
    }
  }
  presence.endLapsed(session);
};
