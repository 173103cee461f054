import { rebuildViews } from '@roomwire/projections/rebuildViews';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { takeRequest, writeStatus, type RebuildRequest, type RebuildStatus } from './rebuildFiles.js';

export interface RebuildDeskDeps {
  /** The data folder of this process. */
  readonly folder: string;
  readonly log: EventLog;
  readonly views: ViewStore;
  readonly logger: Logger;
}

const betweenLooksMs = 500;
const betweenReportsMs = 250;

/** Looks for requests in the data folder, and rebuilds the read models that this process serves. */
export const createRebuildDesk = (deps: RebuildDeskDeps): Service => {
  const { folder, logger } = deps;
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> = Promise.resolve();

  const look = async (): Promise<void> => {
    const request = await takeRequest(folder);
    if (request !== undefined) await answer(deps, request, closing.signal);
  };
  const lookAgain = (): void => {
    if (closing.signal.aborted) return;
    timer = setTimeout(() => {
      work = look()
        .catch((error: unknown) => logger.error('A rebuild could not be taken up', { error }))
        .then(lookAgain);
    }, betweenLooksMs).unref();
  };

  return {
    async start() {
      lookAgain();
    },
    close: once(async () => {
      closing.abort(new Error('Roomwire was stopped'));
      clearTimeout(timer);
      await work;
    }),
  };
};

const answer = async (
  { folder, log, views, logger }: RebuildDeskDeps,
  { requestId }: RebuildRequest,
  signal: AbortSignal,
): Promise<void> => {
  logger.info('The read models are built anew', { requestId });
  const head = await log.head();
  let status: RebuildStatus = {
    ...{ requestId, state: 'building', events: 0, position: undefined },
    ...{ head, beat: 0 },
  };
  let written: Promise<void> = Promise.resolve();
  const report = (news: Partial<RebuildStatus> = {}): void => {
    status = { ...status, ...news, beat: status.beat + 1 };
    const current = status;
    written = written.then(() => writeStatus(folder, current));
    written.catch(() => undefined);
  };
  report();
  const reports = setInterval(report, betweenReportsMs);
  const onProgress = (events: number, position: string): void => {
    status = { ...status, events, position };
  };
  try {
    const { events, position } = await rebuildViews({ log, views, logger, signal, onProgress });
    report({ state: 'done', events, position });
    logger.info('The read models that were built anew are live', { requestId, events });
  } catch (error) {
    report({ state: 'failed', reason: (error as Error).message });
    logger.warn('The read models stay as they were', { requestId, error });
  } finally {
    clearInterval(reports);
  }
  await written;
};
