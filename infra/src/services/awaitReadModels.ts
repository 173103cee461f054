import { EngineUnavailable, MadeFromAnotherLog } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { sleep } from '@roomwire/shared/runtime/waiting';
import { provenanceIn } from '../engines/derivedData.js';

export interface AwaitDeps {
  readonly log: Pick<EventLog, 'identity' | 'readAt'>;
  readonly views: Pick<ViewStore, 'checkpoint' | 'origin'>;
  readonly logger: Logger;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

const betweenLooksMs = 500;

/**
 * Resolves when the read models fit the event log: those of a log that was put back hold what has not happened, until projections,
 * in another process, have made them anew. Rejects with `MadeFromAnotherLog`. While the log is away nothing is known, and nobody waits.
 */
export const awaitReadModels = async (deps: AwaitDeps): Promise<void> => {
  for (let isWaiting = false; !deps.signal.aborted; isWaiting = true) {
    const provenance = await look(deps);
    if (provenance === undefined || provenance === 'this log') return;
    if (provenance === 'another log')
      throw new MadeFromAnotherLog(
        'read models',
        (await deps.views.origin())?.log ?? '',
        await deps.log.identity(),
      );
    if (!isWaiting)
      deps.logger.warn('The event log was put back; waiting for projections to make the read models anew');
    await sleep(betweenLooksMs, deps.signal);
  }
};

const look = ({ log, views }: AwaitDeps) =>
  provenanceIn(log, views).catch((error: unknown) => {
    if (!(error instanceof EngineUnavailable)) throw error;
    return undefined;
  });
