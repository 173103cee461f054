import type { EventStoreDbOptions } from '@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { EngineRow, EventLogEngine } from './engine.js';
import { judgeVersion } from './finding.js';

const name = 'EventStoreDB';
const variable = 'ROOMWIRE_EVENTSTORE_URL';
const oldest = [22, 10] as const;
const answersWithinMs = 5_000;

const open = async (options: EventStoreDbOptions): Promise<EventLog> => {
  const { openEventStoreDbLog } =
    await import('@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog');
  return openEventStoreDbLog(options);
};

const eventStoreDb = (url: string): EventLogEngine => ({
  ...{ name, onFiles: false, settings: { url } },
  open: ({ outage }) => open({ url, outage }),
  openBeside: () => open({ url }),
  async inspect() {
    const { eventStoreDbVersion } =
      await import('@roomwire/shared/adapters/event-log/eventstoredb/connection');
    return [judgeVersion(name, await eventStoreDbVersion(url, answersWithinMs), oldest)];
  },
});

export const eventStoreDbRow: EngineRow<EventLogEngine> = {
  variable,
  read(read) {
    const url = read.engineUrl(variable, ['esdb:', 'esdb+discover:']);
    return url === undefined ? undefined : eventStoreDb(url);
  },
};
