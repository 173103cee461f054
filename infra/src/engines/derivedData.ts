import type { EventLog, LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { HistoryIndex } from '@roomwire/shared/ports/historyIndex';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { PayloadStore } from '@roomwire/shared/ports/payloadStore';
import { provenanceOf, type Provenance } from '@roomwire/shared/runtime/provenance';
import type { Adapters } from './adapters.js';

/** What is made from the event log, and follows it from a checkpoint. */
export interface DerivedData {
  checkpoint(): Promise<LogPosition | undefined>;
  origin(): Promise<LogOrigin | undefined>;
  /** Projections make it anew. */
  clear(): Promise<void>;
}

export const derivedData = async (adapters: Adapters): Promise<readonly DerivedData[]> => {
  const [views, auditIndex, payloads, history, jobs] = [
    await adapters.views(),
    await adapters.auditIndex(),
    await adapters.payloads(),
    await adapters.historyIndex(),
    await adapters.jobs(),
  ];
  return [views, auditIndex, ...[payloads, history, jobs].map(removedByEvents)];
};

/** None of this is made from events; what is removed by events is looked for again. */
const removedByEvents = (kept: PayloadStore | HistoryIndex | JobStore): DerivedData => ({
  checkpoint: () => kept.checkpoint(),
  origin: () => kept.origin(),
  clear: () => kept.moveCheckpoint(undefined),
});

/** Undefined for what has not been made yet, which fits every log. */
export const provenanceIn = async (
  log: Pick<EventLog, 'identity' | 'readAt'>,
  made: Pick<DerivedData, 'checkpoint' | 'origin'>,
): Promise<Provenance | undefined> => {
  const checkpoint = await made.checkpoint();
  return checkpoint === undefined ? undefined : provenanceOf(log, checkpoint, await made.origin());
};

export const otherLogRemedy =
  'Correct the address of the event log or of the read models; where this log replaces the other one, stop Roomwire, run `roomwire projections rebuild --anew`, and start it';
