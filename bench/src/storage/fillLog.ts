import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { StreamEvents } from './history.js';

/** One append after the other. */
export const fillLog = async (log: EventLog, history: Iterable<StreamEvents>): Promise<void> => {
  const revisions = new Map<string, number>();
  for (const { stream, events } of history) {
    const { revision } = await log.append(stream, revisions.get(stream) ?? 'none', events);
    revisions.set(stream, revision);
  }
};
