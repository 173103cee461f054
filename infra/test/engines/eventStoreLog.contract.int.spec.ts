import { openEventStoreDbLog } from '@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog';
import { eventLogContract } from '@roomwire/testing/contracts/event-log/eventLogContract';
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { startEventStore } from '@roomwire/testing/engines/eventStore';

const realUrl = process.env['ROOMWIRE_TEST_EVENTSTORE_URL'];

/** A real database is shared, so each log there has streams of its own; otherwise each has a server of its own. */
const database = async () => {
  if (realUrl) return { url: realUrl, streamPrefix: `test-${randomUUID()}-`, close: async () => undefined };
  const engine = await startEventStore();
  return { url: engine.url, streamPrefix: '', close: () => engine.close() };
};

eventLogContract('EventStoreDB', async () => {
  const { close, ...options } = await database();
  let log = await openEventStoreDbLog(options);
  return {
    log,
    reopen: async () => {
      await log.close();
      log = await openEventStoreDbLog(options);
      return log;
    },
    dispose: async () => {
      await log.close();
      await close();
    },
  };
});
