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

export const derivedData = async (adapters: Adapters): Promise<readonly DerivedData[]> => {
  const [views, auditIndex, payloads] = [
    await adapters.views(),
    await adapters.auditIndex(),
    await adapters.payloads(),
  ];
  return [
    views,
    auditIndex,
    {
      checkpoint: () => payloads.checkpoint(),
      origin: () => payloads.origin(),
      // Payloads are not made from events; what is removed by events is looked for again.
      clear: () => payloads.moveCheckpoint(undefined),
    },
  ];
};

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
