import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { LogPosition, EventLog } from '@roomwire/shared/ports/eventLog';
import { type RebuildReport, rebuildViews } from '@roomwire/projections/rebuildViews';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { readJsonFile, writeJsonFile } from '../secrets/keptSecrets.js';

// A data folder belongs to one process, which alone can rebuild what it serves. These two files in the folder are how a
// command asks it to: they need no port and no credential but the right to write there.

export interface RebuildRequest {
  readonly requestId: string;
}

/** The progress of the process that accepted a request; rewritten at least every second until it ends. */
export interface RebuildStatus extends RebuildRequest {
  readonly state: 'building' | 'done' | 'failed';
  readonly events: number;
  readonly position: LogPosition | undefined;
  /** End of the log when the building began. */
  readonly head: LogPosition | undefined;
  /** Why it failed. */
  readonly reason?: string;
  /** Counts up. A value that no longer changes means that the process has ended. */
  readonly beat: number;
}

const requestFile = (folder: string): string => join(folder, 'rebuild.request.json');
const statusFile = (folder: string): string => join(folder, 'rebuild.status.json');

const writeRequest = (folder: string, request: RebuildRequest): Promise<void> =>
  writeJsonFile(requestFile(folder), request);

/** Takes the request away: one that ends the process must not meet it again at the next start. */
export const takeRequest = async (folder: string): Promise<RebuildRequest | undefined> => {
  const request = await readJsonFile<RebuildRequest>(requestFile(folder));
  if (request !== undefined) await rm(requestFile(folder), { force: true });
  return request;
};

/** False where it is no longer there: it was accepted. */
const withdraw = async (folder: string, { requestId }: RebuildRequest): Promise<boolean> => {
  const found = await readJsonFile<RebuildRequest>(requestFile(folder));
  if (found?.requestId !== requestId) return false;
  await rm(requestFile(folder), { force: true });
  return true;
};

/** Whole or not at all; nothing hangs on its being on disk. */
export const writeStatus = async (folder: string, status: RebuildStatus): Promise<void> => {
  const draft = `${statusFile(folder)}.draft`;
  await writeFile(draft, JSON.stringify(status), { mode: 0o600 });
  await rename(draft, statusFile(folder));
};

const readStatus = (folder: string): Promise<RebuildStatus | undefined> =>
  readJsonFile<RebuildStatus>(statusFile(folder));

export interface AskedRebuild {
  /** Told of every report of the process. */
  readonly onStatus: (status: RebuildStatus) => void;
  readonly signal: AbortSignal;
  /** Time without an answer after which the process counts as ended; 30 s by default. */
  readonly silenceMs?: number;
}

const betweenStatusReadsMs = 100;

/** The process that was asked is at it, and goes on without whoever asked. */
export class RebuildGoesOn extends Error {
  override readonly name = 'RebuildGoesOn';
  constructor() {
    super('The process that runs on the data folder goes on with the rebuild');
  }
}

/**
 * Has the process that owns the data folder rebuild its read models. Rejects where it does not, or does not answer, and once the signal aborts:
 * a request that nobody has accepted until then is withdrawn.
 */
export const requestRebuild = async (
  folder: string,
  { onStatus, signal, silenceMs = 30_000 }: AskedRebuild,
): Promise<RebuildReport> => {
  const requestId = randomUUID();
  await writeRequest(folder, { requestId });
  let last: RebuildStatus | undefined;
  for (let heard = performance.now(); performance.now() - heard < silenceMs && !signal.aborted;) {
    await pause(betweenStatusReadsMs, undefined, { signal }).catch(() => undefined);
    const status = await readStatus(folder);
    if (status === undefined || (status.requestId === last?.requestId && status.beat === last.beat)) continue;
    // One that works for somebody else comes to this request behind that.
    [last, heard] = [status, performance.now()];
    if (status.requestId !== requestId) continue;
    onStatus(status);
    if (status.state === 'failed') throw new Error(status.reason ?? 'The rebuild failed');
    if (status.state === 'done') return { events: status.events, position: status.position ?? '' };
  }
  const isWithdrawn = await withdraw(folder, { requestId });
  if (!signal.aborted) throw new Error('The process that runs on the data folder does not answer');
  throw isWithdrawn ? (signal.reason as Error) : new RebuildGoesOn();
};

export interface RebuildRequestDeps {
  /** The data folder of this process. */
  readonly folder: string;
  readonly log: EventLog;
  readonly views: ViewStore;
  readonly logger: Logger;
}

const betweenRequestReadsMs = 500;
const betweenReportsMs = 250;

/** Looks for requests in the data folder, and rebuilds the read models that this process serves. */
export const createRebuildRequestHandler = (deps: RebuildRequestDeps): Service => {
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
        .catch((error: unknown) => logger.error('A rebuild request could not be read', { error }))
        .then(lookAgain);
    }, betweenRequestReadsMs).unref();
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
  { folder, log, views, logger }: RebuildRequestDeps,
  { requestId }: RebuildRequest,
  signal: AbortSignal,
): Promise<void> => {
  logger.info('Rebuilding the read models', { requestId });
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
    logger.info('The rebuilt read models are live', { requestId, events });
  } catch (error) {
    report({ state: 'failed', reason: (error as Error).message });
    logger.warn('The rebuild failed; the read models are unchanged', { requestId, error });
  } finally {
    clearInterval(reports);
  }
  await written;
};
