import { writeSync } from 'node:fs';
import { openEmbeddedEventLog } from '../../../src/adapters/event-log/embeddedEventLog.js';
import { openDataFolder } from '../../../src/adapters/lmdb/dataFolder.js';
import { EngineUnavailable } from '../../../src/ports/errors.js';
import { allEvents, newEvent } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';

/** Appends until the disk is full, then prints what was acknowledged, how it was refused, and what can still be read. */
const [path = ''] = process.argv.slice(2);
const folder = await openDataFolder(path);
const log = await openEmbeddedEventLog(folder);
const print = (line: string) => writeSync(1, `${line}\n`);

const refusals: unknown[] = [];
let acknowledged = 0;
while (refusals.length < 3) {
  const outcomes = await Promise.allSettled(
    ['a', 'b'].map((half) => log.append(`${half}-${acknowledged}`, 'none', [newEvent('x'.repeat(20_000))])),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') acknowledged += 1;
    else refusals.push(outcome.reason);
  }
}
print(String(acknowledged));
print(
  refusals.every((reason) => reason instanceof EngineUnavailable) ? 'EngineUnavailable' : String(refusals),
);
print(String((refusals[0] as Error).cause));
print(String((await allEvents(log)).length));
await log.close();
await folder.close();
