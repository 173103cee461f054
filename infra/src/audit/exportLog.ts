import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import { chained, chainStart } from './chain.js';
import { exportLayouts, type ExportFormat } from './exportFormat.js';

export interface ExportReport {
  readonly events: number;
  /** Of the last line. Kept elsewhere, it tells of a file that was written anew as a whole. */
  readonly chain: string;
}

/** Told of every batch. */
export type OnProgress = (events: number, position: LogPosition) => void;

/** Writes the whole log as it is now, in its order. In memory there is never more than a batch of it. */
export const exportLog = async (
  log: EventLog,
  format: ExportFormat,
  out: Writable,
  onProgress: OnProgress = () => undefined,
): Promise<ExportReport> => {
  const { heading, lineOf, withChain } = exportLayouts[format];
  const head = await log.head();
  let chain = chainStart;
  let events = 0;
  const write = async (text: string): Promise<void> => {
    if (text !== '' && !out.write(text)) await once(out, 'drain');
  };
  await write(heading === undefined ? '' : `${heading}\n`);
  for await (const batch of upTo(log, head)) {
    const lines = batch.map((event) => {
      const line = lineOf(event);
      chain = chained(chain, line);
      return `${withChain(line, chain)}\n`;
    });
    await write(lines.join(''));
    events += batch.length;
    onProgress(events, batch.at(-1)?.position ?? '');
  }
  return { events, chain };
};

/** The events of the log up to a position, in batches that are not empty. */
export async function* upTo(
  log: EventLog,
  position: LogPosition | undefined,
  after?: LogPosition,
): AsyncIterable<readonly RecordedEvent[]> {
  if (position === undefined || (after !== undefined && after >= position)) return;
  for await (const batch of log.readAll(after)) {
    const within: readonly RecordedEvent[] = batch.filter((event) => event.position <= position);
    if (within.length > 0) yield within;
    if (within.length < batch.length || within.at(-1)?.position === position) return;
  }
}
