import type { Handler } from './handler.js';

/** [WS-UNSUB-1] Answered alike whether there was a subscription or not. */
export const unsubscribe: Handler<'unsubscribe'> = (session, { topic }, core) => {
  const subscription = session.subscriptions.get(topic);
  if (subscription) {
    session.subscriptions.delete(topic);
    core.hub.leave(subscription);
    core.sessionRecords.changed(session);
  }
  session.link.send({ type: 'unsubscribed', topic });
};
