import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import { readJsonFile, writeJsonFile } from '../process/keptSecrets.js';

// A data folder belongs to one process, which alone can rebuild what it serves. These two files in the folder are how a
// command asks it to: they need no port and no credential but the right to write there.

export interface RebuildRequest {
  readonly requestId: string;
}

/** How far the process is that took up a request; written anew at least every second until it is over. */
export interface RebuildStatus extends RebuildRequest {
  readonly state: 'building' | 'done' | 'failed';
  readonly events: number;
  readonly position: LogPosition | undefined;
  /** End of the log when the building began. */
  readonly head: LogPosition | undefined;
  /** Why it failed. */
  readonly reason?: string;
  /** Counts up: whoever does not see it move is alone. */
  readonly beat: number;
}

const requestFile = (folder: string): string => join(folder, 'rebuild.request.json');
const statusFile = (folder: string): string => join(folder, 'rebuild.status.json');

export const writeRequest = (folder: string, request: RebuildRequest): Promise<void> =>
  writeJsonFile(requestFile(folder), request);

export const withdrawRequest = (folder: string): Promise<void> => rm(requestFile(folder), { force: true });

/** Takes the request away: one that ends the process must not meet it again at the next start. */
export const takeRequest = async (folder: string): Promise<RebuildRequest | undefined> => {
  const request = await readJsonFile<RebuildRequest>(requestFile(folder));
  if (request !== undefined) await withdrawRequest(folder);
  return request;
};

/** Whole or not at all; nothing hangs on its being on disk. */
export const writeStatus = async (folder: string, status: RebuildStatus): Promise<void> => {
  const draft = `${statusFile(folder)}.draft`;
  await writeFile(draft, JSON.stringify(status), { mode: 0o600 });
  await rename(draft, statusFile(folder));
};

export const readStatus = (folder: string): Promise<RebuildStatus | undefined> =>
  readJsonFile<RebuildStatus>(statusFile(folder));
