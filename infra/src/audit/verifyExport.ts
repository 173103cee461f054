import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { linesOf } from '../backup/eventLines.js';
import { chained, chainStart } from './chain.js';
import { exportLayouts, type ExportLayout } from './exportFormat.js';

export interface ExportVerdict {
  readonly events: number;
  /** Of the last line that was looked at. */
  readonly chain: string;
  /** What is wrong, and where; undefined for an export that is whole and says what the log says. */
  readonly fault: string | undefined;
}

/** Checks the chain of an export, and line by line that the log says the same. Stops at the first fault. */
export const verifyExport = async (file: string, log: EventLog): Promise<ExportVerdict> => {
  const logged = eventsOf(log);
  let layout: ExportLayout | undefined;
  let [chain, events, pending, lineNumber] = [chainStart, 0, '', 0];
  const verdict = (fault?: string): ExportVerdict => ({ events, chain, fault });

  for await (const text of linesOf(file)) {
    lineNumber += 1;
    if (layout === undefined) {
      layout = text === exportLayouts.csv.heading ? exportLayouts.csv : exportLayouts.jsonl;
      if (layout.heading !== undefined) continue;
    }
    // A cell may hold line breaks, and a hash ends every line.
    pending = pending === '' ? text : `${pending}\n${text}`;
    const split = layout.splitChain(pending);
    if (split === undefined && layout.heading !== undefined) continue;
    if (split === undefined) return verdict(`line ${lineNumber} has no hash`);
    if (chained(chain, split.line) !== split.chain)
      return verdict(`the chain is broken at line ${lineNumber}`);
    const next = await logged.next();
    if (next.done === true) return verdict(`line ${lineNumber} is not in the log`);
    if (layout.lineOf(next.value) !== split.line)
      return verdict(`line ${lineNumber} is not what the log says`);
    [chain, pending] = [split.chain, ''];
    events += 1;
  }
  return verdict(pending === '' ? undefined : 'the last line is cut off');
};

async function* eventsOf(log: EventLog): AsyncGenerator<RecordedEvent> {
  for await (const batch of log.readAll()) yield* batch;
}
