import type { EventLog, LogOrigin, LogPosition } from '../ports/eventLog.js';

/** Whether what was made from an event log fits the one that is there now, and if not, why. */
export type Provenance = 'this log' | 'this log, before it was put back' | 'another log';

/** Of what has come to a checkpoint. Without an origin, from before origins were kept, any log fits that has an event there. */
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
