import {
  openEventStoreDbLog,
  type EventStoreDbOptions,
} from '@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { startEventStore, type EventStoreEngine } from '@roomwire/testing/engines/eventStore';

/** Short, so that a test of what happens afterwards is short, too. */
export const impatient = { answersWithinMs: 1_000, givesUpAfterMs: 3_000, stallCheckMs: 200 };

/** A server of its own for each test of the suite that calls this, and logs on it that are closed at the end. */
export const eventStoreUnderTest = () => {
  let engine: EventStoreEngine;
  let logs: EventLog[];

  beforeEach(async () => {
    engine = await startEventStore();
    logs = [];
  });
  afterEach(async () => {
    engine.resume();
    await Promise.all(logs.map((log) => log.close()));
    await engine.close();
  });

  return {
    engine: () => engine,
    openLog: async (options: Partial<EventStoreDbOptions> = {}): Promise<EventLog> => {
      const log = await openEventStoreDbLog({ url: engine.url, ...impatient, ...options });
      logs.push(log);
      return log;
    },
  };
};
