import { copyFile, chmod, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beginNumberingAnew } from '@roomwire/shared/adapters/history-index/embeddedHistoryIndex';
import { forgetJobOwners } from '@roomwire/shared/adapters/job-store/embeddedJobStore';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Config } from '../config/config.js';
import type { Adapters } from '../engines/adapters.js';
import { derivedData } from '../engines/derivedData.js';
import { linesOf } from '../audit/exportLog.js';
import { appendEvents, checkedManifest, parts, type Manifest } from './backupFiles.js';
import { unfinishedMark } from '../engines/files.js';
import { variablesFor } from '../engines/engines.js';

export interface RestoreDeps {
  readonly config: Config;
  readonly adapters: Adapters;
  readonly onProgress: (events: number, position: LogPosition) => void;
}

const engineParts: readonly string[] = Object.values(parts);

/**
 * Puts a backup into an empty data folder and onto empty engines. One that was interrupted may be done again, with the
 * same backup; until then no Roomwire starts on the folder.
 */
export const restore = async (backup: string, deps: RestoreDeps): Promise<Manifest> => {
  const manifest = await checkedManifest(backup);
  requireSameProfile(manifest, deps.config);
  const names = manifest.files.map(({ name }) => name);
  const copied = names.filter((name) => !engineParts.includes(name));
  if (names.includes(parts.events))
    await requireBeginning(await deps.adapters.log(), join(backup, parts.events));
  if (copied.length > 0) await fillDataFolder(backup, copied, deps.config);
  if (names.includes(parts.kept)) await restoreDocuments(backup, deps.config);
  if (names.includes(parts.events)) await restoreLog(backup, deps);
  return manifest;
};

/** Restores the data that events do not contain into a MongoDB that was lost while the event log was not. */
export const restoreOnlyDocuments = async (backup: string, config: Config): Promise<Manifest> => {
  const manifest = await checkedManifest(backup);
  if (config.engines.readModels.onFiles || !manifest.files.some(({ name }) => name === parts.kept))
    throw new Error(`The backup has no documents of MongoDB, or ${variablesFor('readModels')} is not set`);
  await restoreDocuments(backup, config);
  return manifest;
};

/** Of what a restore copies, and of what a process that opened it leaves beside it. */
const copyNames = /\.(?:lmdb|lmdb-lock|json)$/;

const requireSameProfile = ({ files }: Manifest, { engines }: Config): void => {
  const has = (name: string): boolean => files.some((file) => file.name === name);
  const fits =
    has(parts.events) === !engines.eventLog.onFiles && has(parts.kept) === !engines.readModels.onFiles;
  if (!fits)
    throw new Error(
      `The backup is of another configuration: set ${variablesFor('eventLog')} and ${variablesFor('readModels')} as they were, or leave them out as they were`,
    );
};

const fillDataFolder = async (
  backup: string,
  names: readonly string[],
  { dataDir, engines }: Config,
): Promise<void> => {
  const folder = await openDataFolder(dataDir);
  try {
    const others = (await readdir(folder.path)).filter((name) => !/^owner\.lmdb(?:-lock)?$/.test(name));
    if (others.length > 0 && !others.includes(unfinishedMark))
      throw new Error(`The data folder ${folder.path} is not empty: move it away first`);
    await writeFile(folder.file(unfinishedMark), '', { mode: 0o600 });
    // The restore before may have been of another backup, which has files that this one has not.
    for (const name of others.filter((each) => copyNames.test(each))) await rm(folder.file(name));
    for (const name of names) {
      await copyFile(join(backup, name), folder.file(name));
      await chmod(folder.file(name), 0o600);
      await sync(folder.file(name));
    }
    // Since the backup places of messages were given that must not be given again. Those of Kafka are its own.
    if (names.includes('history.lmdb') && engines.bus.onFiles) await beginNumberingAnew(folder);
    if (names.includes('jobs.lmdb')) await forgetJobOwners(folder);
    await rm(folder.file(unfinishedMark));
    await sync(folder.path);
  } finally {
    await folder.close();
  }
};

const restoreDocuments = async (backup: string, { engines }: Config): Promise<void> => {
  await engines.readModels.keptDocuments?.write(linesOf(join(backup, parts.kept)));
};

/** Positions in the new log differ, so everything derived from the old one must be rebuilt. */
const restoreLog = async (backup: string, { adapters, onProgress }: RestoreDeps): Promise<void> => {
  const log = await adapters.log();
  for (const made of await derivedData(adapters)) await made.clear();
  await appendEvents(log, linesOf(join(backup, parts.events)), onProgress);
};

/** Rejects unless the log is empty, or holds the first events of the backup, from a restore that was interrupted, and no others. */
const requireBeginning = async (log: EventLog, file: string): Promise<void> => {
  const lines = linesOf(file);
  try {
    for await (const batch of log.readAll())
      for (const { id } of batch) {
        const line = await lines.next();
        if (line.done === true || (JSON.parse(line.value) as RecordedEvent).id !== id)
          throw new Error(
            'The event log is not empty, and what is in it is not the beginning of the backup. To restore only the documents of MongoDB, use --only-documents',
          );
      }
  } finally {
    await lines.return(undefined);
  }
};

const sync = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};
