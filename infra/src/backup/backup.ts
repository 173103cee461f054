import { createWriteStream } from 'node:fs';
import { copyFile, chmod, mkdir, open, readdir, readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { copyEnvironment } from '@roomwire/shared/adapters/lmdb/durableEnvironment';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Config } from '../config/config.js';
import type { ReadModelEngine } from '../engines/engine.js';
import { usesDataFolder } from '../engines/engines.js';
import type { Adapters } from '../engines/adapters.js';
import { secretsFileName } from '../secrets/keptSecrets.js';
import { writeEvents, describeFile, parts, writeManifest, type Manifest } from './backupFiles.js';

export interface BackupDeps {
  readonly config: Config;
  /** Of engines alone: the data folder may belong to a Roomwire that runs. */
  readonly adapters: Adapters;
  readonly onProgress: (events: number, position: LogPosition) => void;
}

/**
 * Of these, in this order, the event log after what speaks of its events: nothing in a backup then speaks of an event that is
 * not in it. The payloads follow, because the log refers to them. What an id of a publish says was sent has been queued and recorded, or is a
 * schedule; what a schedule has sent, too; what was taken from the jobs for the dead letters is in the queues.
 */
const lmdbFiles = [
  'publish-ids',
  'schedules',
  'room-events',
  'jobs',
  'queues',
  'recorded',
  'history',
  'sessions',
  'groups',
  'audit',
  'access',
  'views',
  'events',
  'payloads',
].map((name) => `${name}.lmdb`);
const plainFiles = [secretsFileName, 'credentials.json'];

/** Writes a backup into a new folder. What it holds is for its owner alone, because the secrets are in it. */
export const backUp = async (target: string, deps: BackupDeps): Promise<Manifest> => {
  await makeEmptyFolder(target);
  const names: string[] = [];
  const { engines, dataDir } = deps.config;
  if (usesDataFolder(engines)) names.push(...(await copyDataFolder(dataDir, target)));
  const { keptDocuments } = engines.readModels;
  if (keptDocuments) names.push(await writeDocuments(keptDocuments, target));
  if (!engines.eventLog.onFiles) names.push(await writeLog(target, deps));
  if (usesDataFolder(engines)) await requireSameKeys(dataDir, target);
  const files = [];
  for (const name of names) {
    await sync(join(target, name));
    files.push(await describeFile(target, name));
  }
  const manifest: Manifest = { format: 1, createdAt: new Date().toISOString(), files };
  await writeManifest(target, manifest);
  return manifest;
};

const makeEmptyFolder = async (target: string): Promise<void> => {
  await mkdir(target, { recursive: true, mode: 0o700 });
  if ((await readdir(target)).length > 0) throw new Error(`${target} is not empty`);
  await chmod(target, 0o700);
};

const copyDataFolder = async (dataDir: string, target: string): Promise<string[]> => {
  const found = new Set(await readdir(dataDir).catch(noneWithoutFolder));
  const copied: string[] = [];
  for (const name of plainFiles.filter((each) => found.has(each))) {
    await copyFile(join(dataDir, name), join(target, name));
    await chmod(join(target, name), 0o600);
    copied.push(name);
  }
  for (const name of lmdbFiles.filter((each) => found.has(each))) {
    await copyEnvironment(join(dataDir, name), join(target, name));
    copied.push(name);
  }
  return copied;
};

/** The secrets are copied first: what was sealed since, with keys that were made after that, could not be opened. */
const requireSameKeys = async (dataDir: string, target: string): Promise<void> => {
  const [now, copied] = await Promise.all([secretsIn(dataDir), secretsIn(target)]);
  if (now !== copied) throw new Error('The keys were rotated meanwhile: run it again');
};

const secretsIn = (folder: string): Promise<string | undefined> =>
  readFile(join(folder, secretsFileName), 'utf8').catch(undefinedIfMissing);

/** A process that has the addresses of log and read models alone looks like one whose bus is on files. */
const noneWithoutFolder = (error: NodeJS.ErrnoException): string[] => {
  undefinedIfMissing(error);
  return [];
};

const undefinedIfMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

const writeDocuments = async (
  documents: NonNullable<ReadModelEngine['keptDocuments']>,
  target: string,
): Promise<string> => {
  await writingLines(join(target, parts.kept), (write) => documents.read(write));
  return parts.kept;
};

const writeLog = async (target: string, { adapters, onProgress }: BackupDeps): Promise<string> => {
  const log = await adapters.log();
  await writingLines(join(target, parts.events), (write) => writeEvents(log, write, onProgress));
  return parts.events;
};

const writingLines = async (
  file: string,
  produce: (write: (lines: readonly string[]) => Promise<void>) => Promise<unknown>,
): Promise<void> => {
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  const ended = finished(out);
  const write = async (lines: readonly string[]): Promise<void> => {
    if (lines.length > 0 && !out.write(`${lines.join('\n')}\n`)) await once(out, 'drain');
  };
  await Promise.race([
    produce(write),
    ended.then(() => Promise.reject(new Error(`${file} was closed early`))),
  ]);
  out.end();
  await ended;
};

const sync = async (file: string): Promise<void> => {
  const handle = await open(file, 'r');
  await handle.sync().finally(() => handle.close());
};
