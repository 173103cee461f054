import type { EventLog, LogOrigin, LogPosition } from '../ports/eventLog.js';

/** Whether what was made from an event log fits the one that is there now, and if not, why. */
export type Provenance = 'this log' | 'this log, before it was put back' | 'another log';

/** Of something with a checkpoint. Without an origin, which older versions did not record, any log with an event there matches. */
export const provenanceOf = async (
  log: Pick<EventLog, 'identity' | 'readAt'>,
  checkpoint: LogPosition,
  origin: LogOrigin | undefined,
): Promise<Provenance> => {
  if (origin !== undefined) {
    const event = await log.readAt(origin.position);
    if (event?.id !== origin.event)
      return (await log.identity()) === origin.log ? 'this log, before it was put back' : 'another log';
    if (origin.position === checkpoint) return 'this log';
  }
  // A checkpoint beyond its origin is of a version that knows no origins.
  const event = await log.readAt(checkpoint);
  return event === undefined ? 'this log, before it was put back' : 'this log';
};
