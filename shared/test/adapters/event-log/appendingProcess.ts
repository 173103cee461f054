import { writeSync } from 'node:fs';
import { openEmbeddedEventLog } from '../../../src/adapters/event-log/embeddedEventLog.js';
import { openDataFolder } from '../../../src/adapters/lmdb/dataFolder.js';
import { newEvents, streamEvents } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';

/** Appends to many streams at once and prints each event's id and position when it has been acknowledged. */
const [path = ''] = process.argv.slice(2);
const log = await openEmbeddedEventLog(await openDataFolder(path));

const appendForEver = async (stream: string): Promise<never> => {
  let last = (await streamEvents(log, stream)).at(-1)?.revision;
  for (;;) {
    const events = newEvents(2);
    const { revision, position } = await log.append(stream, last ?? 'none', events);
    writeSync(1, `${events[1]!.id} ${position}\n`);
    last = revision;
  }
};

await Promise.all(Array.from({ length: 16 }, (_, index) => appendForEver(`room-${index}`)));
