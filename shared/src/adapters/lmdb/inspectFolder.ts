import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import type { RecordedEvent } from '../../domain/eventEnvelope.js';
import type { LogPosition } from '../../ports/eventLog.js';
import { recordedEvent } from '../event-log/eventTables.js';
import { requireWhole } from './lmdbFile.js';

/** How far the files of a data folder are. */
export interface FolderState {
  readonly last: RecordedEvent | undefined;
  /** Undefined where there are none. */
  readonly viewsCheckpoint: LogPosition | undefined;
  readonly auditCheckpoint: LogPosition | undefined;
  /** The first event that is not in the read models on disk. */
  readonly firstBehind: RecordedEvent | undefined;
}

/** Reads the files, also while a process writes them, and changes nothing. Throws `DamagedFile` where one of them is damaged. */
export const inspectFolder = async (path: string): Promise<FolderState> => {
  // That of the owner is made again where it is damaged.
  for (const name of await readdir(path))
    if (name.endsWith('.lmdb') && name !== 'owner.lmdb') requireWhole(join(path, name));
  const viewsCheckpoint = await reading(join(path, 'views.lmdb'), (root) =>
    root.openDB<string, string>('state', { encoding: 'string' }).get('checkpoint'),
  );
  const auditCheckpoint = await reading(join(path, 'audit.lmdb'), (root) =>
    root.openDB<string, string>('state', { encoding: 'ordered-binary' }).get('checkpoint'),
  );
  const log = await reading(join(path, 'events.lmdb'), (root) => {
    const events = root.openDB<string, number>('events', { encoding: 'string' });
    const [last] = [...events.getRange({ reverse: true, limit: 1 })];
    const [behind] = [...events.getRange({ start: Number(viewsCheckpoint ?? 0) + 1, limit: 1 })];
    return {
      last: last && recordedEvent(last.value, last.key),
      firstBehind: behind && recordedEvent(behind.value, behind.key),
    };
  });
  return { last: log?.last, firstBehind: log?.firstBehind, viewsCheckpoint, auditCheckpoint };
};

/** The process that owns a data folder; undefined where none lives. */
export const ownerOf = (path: string): Promise<number | undefined> =>
  reading(join(path, 'owner.lmdb'), (root) => {
    const owner = root.get('owner') as number | undefined;
    root.readerCheck();
    const living = Array.from(root.readerList().matchAll(/^ *(\d+) /gm), ([, id]) => Number(id));
    return owner !== undefined && living.includes(owner) ? owner : undefined;
  });

const reading = async <T>(file: string, read: (root: RootDatabase) => T): Promise<T | undefined> => {
  if (!existsSync(file)) return undefined;
  requireWhole(file);
  const options = { path: file, readOnly: true, overlappingSync: false };
  const root = open(options);
  try {
    return read(root);
  } finally {
    await root.close();
  }
};
