import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';
import type { RecordedEvent } from '../../domain/eventEnvelope.js';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import { provenanceOf, type Provenance } from '../../runtime/provenance.js';
import {
  firstEvent,
  isPosition,
  readAtSequence,
  recordedEvent,
  sequenceOf,
} from '../event-log/eventTables.js';
import { requireWhole } from './lmdbFile.js';

/** How far what is made from the log has come, and whether it was made from the log that is there. */
export interface FollowerState {
  /** Undefined where there is none. */
  readonly checkpoint: LogPosition | undefined;
  readonly provenance: Provenance | undefined;
}

/** How far the files of a data folder are. */
export interface FolderState {
  readonly last: RecordedEvent | undefined;
  readonly views: FollowerState;
  readonly audit: FollowerState;
  /** The first event that is not in the read models on disk. */
  readonly firstBehind: RecordedEvent | undefined;
}

/** Where they are damaged, the next start makes them again. */
const madeAgain: ReadonlySet<string> = new Set(['owner.lmdb', 'snapshots.lmdb']);

/** Reads the files, also while a process writes them, and changes nothing. Throws `DamagedFile` where one of them is damaged. */
export const inspectFolder = async (path: string): Promise<FolderState> => {
  for (const name of await readdir(path))
    if (name.endsWith('.lmdb') && !madeAgain.has(name)) requireWhole(join(path, name));
  const views = await progressIn(join(path, 'views.lmdb'), 'string');
  const audit = await progressIn(join(path, 'audit.lmdb'), 'ordered-binary');
  const log = await reading(join(path, 'events.lmdb'), async (root) => {
    const events = root.openDB<string, number>('events', { encoding: 'string' });
    const [last] = [...events.getRange({ reverse: true, limit: 1 })];
    const [behind] = [...events.getRange({ start: Number(views.checkpoint ?? 0) + 1, limit: 1 })];
    return {
      last: last && recordedEvent(last.value, last.key),
      firstBehind: behind && recordedEvent(behind.value, behind.key),
      views: await stateOf(views, events),
      audit: await stateOf(audit, events),
    };
  });
  const unknown = { checkpoint: undefined, provenance: undefined };
  return { last: undefined, firstBehind: undefined, views: unknown, audit: unknown, ...log };
};

interface Progress {
  readonly checkpoint: LogPosition | undefined;
  readonly origin: LogOrigin | undefined;
}

const progressIn = async (file: string, encoding: 'string' | 'ordered-binary'): Promise<Progress> => {
  const found = await reading(file, async (root) => {
    const state = root.openDB<string, string>('state', { encoding });
    const origin = state.get('origin');
    return {
      checkpoint: state.get('checkpoint'),
      origin: origin === undefined ? undefined : (JSON.parse(origin) as LogOrigin),
    };
  });
  return found ?? { checkpoint: undefined, origin: undefined };
};

const stateOf = async (
  { checkpoint, origin }: Progress,
  events: Database<string, number>,
): Promise<FollowerState> => {
  const log = {
    identity: async () => firstEvent({ events })?.id,
    readAt: async (position: LogPosition) =>
      isPosition(position) ? readAtSequence({ events }, sequenceOf(position)) : undefined,
  };
  const provenance = checkpoint === undefined ? undefined : await provenanceOf(log, checkpoint, origin);
  return { checkpoint, provenance };
};

/** The process that owns a data folder; undefined where none lives. */
export const ownerOf = (path: string): Promise<number | undefined> =>
  reading(join(path, 'owner.lmdb'), async (root) => {
    const owner = root.get('owner') as number | undefined;
    root.readerCheck();
    const living = Array.from(root.readerList().matchAll(/^ *(\d+) /gm), ([, id]) => Number(id));
    return owner !== undefined && living.includes(owner) ? owner : undefined;
  });

const reading = async <T>(file: string, read: (root: RootDatabase) => Promise<T>): Promise<T | undefined> => {
  if (!existsSync(file)) return undefined;
  requireWhole(file);
  const options = { path: file, readOnly: true, overlappingSync: false };
  const root = open(options);
  try {
    return await read(root);
  } finally {
    await root.close();
  }
};
