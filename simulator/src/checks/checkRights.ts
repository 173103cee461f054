import type { Rights } from '../clients/rights.js';
import type { History } from '../run/history.js';

/** [WS-TOPIC-4] A second, and what hostile delays may add to it. */
const boundMs = 5_000;

/** A process that was away is back, and has caught up, after so much calm. */
const recoveryMs = 15_000;

/** [WS-TOPIC-4] [WS-GRANT-5]: no right outlives its revocation, and what is granted is to be had. */
export const checkRights = (history: History, rights: Rights): void => {
  /** Whether it was one thing for all the time that matters; undefined where that is not known. */
  const heldFor = (
    actor: string,
    room: string,
    from: number,
    to: number,
  ): 'allowed' | 'denied' | undefined => {
    const span = rights.at(actor, room, from);
    if (span === undefined || span.right === 'unknown' || span.until <= to) return undefined;
    // Also while it takes effect nothing may have disturbed it.
    const due = history.calmSince(span.from + boundMs, recoveryMs + boundMs);
    return from >= due ? span.right : undefined;
  };
  for (const { actor, room, kind, isGranted, askedAt, answeredAt } of history.rightsUsed) {
    const held = heldFor(actor, room, askedAt, answeredAt);
    const what = `${kind} of ${actor} in ${room}, asked at ${askedAt.toFixed(0)}`;
    if (isGranted && held === 'denied') history.violated('WS-GRANT-5', `${what}, was granted`);
    if (!isGranted && held === 'allowed') history.violated('WS-GRANT-1', `${what}, was refused`);
  }
  for (const { actor, id, at, connection } of history.deliveries) {
    const message = history.published[id];
    if (message && heldFor(actor, message.room, message.sentAt, at) === 'denied')
      history.violated(
        'WS-TOPIC-4',
        `connection ${connection} of ${actor} got message ${id} at ${at.toFixed(0)}`,
      );
  }
};
