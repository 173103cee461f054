import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { MadeFromAnotherLog } from '@roomwire/shared/ports/errors';
import type { EventLog, LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import { provenanceOf } from '@roomwire/shared/runtime/provenance';

export interface OriginDeps {
  readonly log: EventLog;
  readonly logger: Logger;
  /**
   * What is in a database that others may use stays as it is where it was made from another log, and the start fails: one of the two
   * addresses is wrong. In a data folder, which has one owner, it is made anew.
   */
  readonly refusesOtherLogs?: boolean | undefined;
}

export interface MadeFromLog {
  /** For log lines: `audit index`. */
  readonly name: string;
  origin(): Promise<LogOrigin | undefined>;
}

/**
 * Whether it may go on from its checkpoint; otherwise it must be made anew. Rejects with `MadeFromAnotherLog` where it is to stay
 * as it is.
 */
export const continues = async (
  { log, logger, refusesOtherLogs = false }: OriginDeps,
  made: MadeFromLog,
  checkpoint: LogPosition,
): Promise<boolean> => {
  const origin = await made.origin();
  const provenance = await provenanceOf(log, checkpoint, origin);
  if (provenance === 'this log') return true;
  const identity = await log.identity();
  if (provenance === 'another log' && refusesOtherLogs)
    throw new MadeFromAnotherLog(made.name, origin?.log ?? '', identity);
  logger.warn(`Making the ${made.name} anew, for the event log that is here now`, {
    ...{ madeFrom: provenance, checkpoint, origin, log: identity },
  });
  return false;
};

/** The origin of what is made from each batch. For a log that is followed from its beginning, or has events already. */
export const originsIn = async (
  log: Pick<EventLog, 'identity'>,
): Promise<(events: readonly RecordedEvent[]) => LogOrigin> => {
  let identity = await log.identity();
  return (events) => {
    const [first, last] = [events[0], events.at(-1)];
    if (first === undefined || last === undefined) throw new RangeError('A batch has at least one event');
    identity ??= first.id;
    return { log: identity, position: last.position, event: last.id };
  };
};
