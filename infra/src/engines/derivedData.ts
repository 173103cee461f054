import type { DeletedFrom } from '@roomwire/projections/deletionFollower';
import type { EventLog, LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';
import { provenanceOf, type Provenance } from '@roomwire/shared/runtime/provenance';
import type { Adapters } from './adapters.js';

/** What is made from the event log, and follows it from a checkpoint. */
export interface DerivedData {
  checkpoint(): Promise<LogPosition | undefined>;
  origin(): Promise<LogOrigin | undefined>;
  /** Projections make it anew. */
  clear(): Promise<void>;
}

/** All that projections follow the log with, each from a checkpoint of its own. */
export const derivedData = async (adapters: Adapters): Promise<readonly DerivedData[]> => {
  const [views, auditIndex] = [await adapters.views(), await adapters.auditIndex()];
  const kept = [
    await adapters.payloads(),
    await adapters.historyIndex(),
    await adapters.roomEvents(),
    await adapters.schedules(),
    await adapters.connectionRecord(),
    await adapters.jobs(),
  ];
  return [views, auditIndex, ...kept.map(removedByEvents)];
};

/** None of this is made from events; what is removed by events is looked for again. */
const removedByEvents = (kept: DeletedFrom): DerivedData => ({
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
