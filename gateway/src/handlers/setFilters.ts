import { filterError } from '../policy/filters.js';
import type { Handler } from './handler.js';

/** [WS-FILTER-5] */
export const setFilters: Handler<'setFilters'> = (session, { topic, filters }, core) => {
  const error = filterError(filters);
  if (error) return error;
  const subscription = session.subscriptions.get(topic);
  if (subscription === undefined) return 'notSubscribed';
  const { qos, group } = subscription;
  const options = { qos, group, filters: filters.length === 0 ? undefined : filters };
  const answer = (): void => {
    core.sessionRecords.changed(session);
    session.link.send({ type: 'filtersUpdated', topic, filters });
  };
  const changing = core.hub.change(subscription, options);
  return changing ? changing.then(answer) : answer();
};
