import { refusedFilters } from '../policy/filters.js';
import type { Handler } from './handler.js';

/** [WS-FILTER-5] */
export const setFilters: Handler<'setFilters'> = (session, { topic, filters }, core) => {
  const refusal = refusedFilters(filters);
  if (refusal) return refusal;
  const subscription = session.subscriptions.get(topic);
  if (subscription === undefined) return 'notSubscribed';
  core.hub.change(subscription, {
    qos: subscription.qos,
    filters: filters.length === 0 ? undefined : filters,
  });
  core.sessionRecords.changed(session);
  return session.link.send({ type: 'filtersUpdated', topic, filters });
};
