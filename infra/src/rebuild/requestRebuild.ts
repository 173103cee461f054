import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RebuildReport } from '@roomwire/projections/rebuildViews';
import { readStatus, withdrawRequest, writeRequest, type RebuildStatus } from './rebuildFiles.js';

export interface AskedRebuild {
  /** Told of every report of the process. */
  readonly onStatus: (status: RebuildStatus) => void;
  readonly signal: AbortSignal;
  /** A process that is silent for so long is gone; 30 s unless told. */
  readonly silenceMs?: number;
}

const betweenLooksMs = 100;

/** Has the process that owns the data folder rebuild its read models. Rejects where it does not, or does not answer. */
export const requestRebuild = async (
  folder: string,
  { onStatus, signal, silenceMs = 30_000 }: AskedRebuild,
): Promise<RebuildReport> => {
  const requestId = randomUUID();
  await writeRequest(folder, { requestId });
  let beat = -1;
  for (let heard = performance.now(); performance.now() - heard < silenceMs;) {
    await pause(betweenLooksMs, undefined, { signal });
    const status = await readStatus(folder);
    if (status?.requestId !== requestId || status.beat === beat) continue;
    [beat, heard] = [status.beat, performance.now()];
    onStatus(status);
    if (status.state === 'failed') throw new Error(status.reason ?? 'The rebuild failed');
    if (status.state === 'done') return { events: status.events, position: status.position ?? '' };
  }
  await withdrawRequest(folder);
  throw new Error('The process that runs on the data folder does not answer');
};
