import type { History } from '../run/history.js';

/** [WS-LATER-2] [WS-LATER-3] [WS-LATER-5]: `lost` are the scheduled publishes that became dead letters. */
export const checkLater = (history: History, lost: ReadonlySet<string>): void => {
  for (const { id, isLater, isAccepted, records, scheduledIds } of history.published) {
    if (!isLater) continue;
    if (scheduledIds.size > 1)
      history.violated('WS-LATER-5', `message ${id} was scheduled as ${[...scheduledIds].join(' and ')}`);
    const isLost = [...scheduledIds].some((scheduledId) => lost.has(scheduledId));
    if (isAccepted && !isLost && records.length === 0)
      history.violated('WS-LATER-2', `message ${id} was accepted, and is not on the bus`);
    const names = new Set(records.map(({ messageId }) => messageId));
    if (names.size > 1)
      history.violated('WS-LATER-2', `message ${id} was delivered as ${[...names].join(' and ')}`);
  }
};
