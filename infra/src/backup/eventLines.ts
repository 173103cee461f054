import { createReadStream } from 'node:fs';
import type { NewEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import { upTo, type OnProgress } from '../audit/exportLog.js';

/** Appends of more events are divided: no engine has a bound below that. */
const mostAtOnce = 100;

/** The whole log, hashes and sealed secrets too, an event to a line, up to its end as it is when this begins. */
export const writeEvents = async (
  log: EventLog,
  write: (lines: readonly string[]) => Promise<void>,
  onProgress: OnProgress,
): Promise<number> => {
  let count = 0;
  for await (const batch of upTo(log, await log.head())) {
    await write(batch.map((event) => JSON.stringify(event)));
    count += batch.length;
    onProgress(count, batch.at(-1)?.position ?? '');
  }
  return count;
};

/**
 * Appends events to a log, in the order of the log that they come from. Those that are there already, from a restore that was
 * interrupted, are passed over; one that finds other events there rejects with `RevisionConflict`.
 */
export const appendEvents = async (
  log: EventLog,
  lines: AsyncIterable<string>,
  onProgress: (events: number, position: LogPosition) => void,
): Promise<number> => {
  let count = 0;
  let run: RecordedEvent[] = [];
  const flush = async (): Promise<void> => {
    const [first, ...rest] = run;
    if (first === undefined) return;
    const expected = first.revision === 0 ? 'none' : first.revision - 1;
    await log.append(first.stream, expected, [newEvent(first), ...rest.map(newEvent)]);
    count += run.length;
    onProgress(count, run.at(-1)?.position ?? '');
    run = [];
  };
  for await (const line of lines) {
    const event = JSON.parse(line) as RecordedEvent;
    if (run.length >= mostAtOnce || (run[0] !== undefined && run[0].stream !== event.stream)) await flush();
    run.push(event);
  }
  await flush();
  return count;
};

const newEvent = ({ id, type, schemaVersion, data, metadata }: RecordedEvent): NewEvent => ({
  ...{ id, type, schemaVersion, data, metadata },
});

/** At line feeds alone: Node's own readline also ends a line at characters that a name may hold. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 1024 * 1024 })) {
    const lines = (rest + (chunk as string)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
