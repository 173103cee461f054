import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import { readJsonFile, writeJsonFile } from '../secrets/keptSecrets.js';
import { upTo, type OnProgress } from '../audit/upTo.js';

export interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** Written last: a folder without it is no whole backup. */
export interface Manifest {
  readonly format: 1;
  /** ISO 8601, when the last part was written. */
  readonly createdAt: string;
  readonly files: readonly BackupFile[];
}

const manifestName = 'backup.json';

/** The parts of a backup that are not copies of files in a data folder. */
export const parts = { events: 'events.jsonl', kept: 'mongodb.jsonl' } as const;

export const describeFile = async (folder: string, name: string): Promise<BackupFile> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(join(folder, name))) hash.update(chunk as Buffer);
  const { size } = await stat(join(folder, name));
  return { name, bytes: size, sha256: hash.digest('hex') };
};

export const writeManifest = (folder: string, manifest: Manifest): Promise<void> =>
  writeJsonFile(join(folder, manifestName), manifest);

/** The manifest of a backup whose every file is there as it was written; rejects with what is wrong with it. */
export const checkedManifest = async (folder: string): Promise<Manifest> => {
  const manifest = await readJsonFile<Manifest>(join(folder, manifestName));
  if (manifest === undefined) throw new Error(`${folder} is no whole backup: it has no ${manifestName}`);
  if (manifest.format !== 1)
    throw new Error(`${folder} has the format ${String(manifest.format)}, which this program does not know`);
  for (const file of manifest.files) {
    if (!/^[\w.-]+$/.test(file.name)) throw new Error(`${folder} names a file outside of it`);
    const found = await describeFile(folder, file.name).catch(() => undefined);
    if (found === undefined) throw new Error(`${file.name} of the backup is missing`);
    if (found.sha256 !== file.sha256) throw new Error(`${file.name} of the backup is not as it was written`);
  }
  return manifest;
};

/** Appends of more events are divided: no engine has a bound below that. */
const mostAtOnce = 100;

/** The whole log, hashes and sealed secrets too, an event to a line, up to its end as it is when this begins. */
export const writeEvents = async (
  log: EventLog,
  write: (lines: readonly string[]) => Promise<void>,
  onProgress: OnProgress,
): Promise<number> => {
  let count = 0;
  for await (const batch of upTo(log, await log.head())) {
    await write(batch.map((event) => JSON.stringify(event)));
    count += batch.length;
    onProgress(count, batch.at(-1)?.position ?? '');
  }
  return count;
};

/**
 * Appends events to a log, in the order of the log that they come from. Those that are there already, from a restore that was
 * interrupted, are passed over; one that finds other events there rejects with `RevisionConflict`.
 */
export const appendEvents = async (
  log: EventLog,
  lines: AsyncIterable<string>,
  onProgress: (events: number, position: LogPosition) => void,
): Promise<number> => {
  let count = 0;
  let run: RecordedEvent[] = [];
  const flush = async (): Promise<void> => {
    const [first, ...rest] = run;
    if (first === undefined) return;
    const expected = first.revision === 0 ? 'none' : first.revision - 1;
    await log.append(first.stream, expected, [newEvent(first), ...rest.map(newEvent)]);
    count += run.length;
    onProgress(count, run.at(-1)?.position ?? '');
    run = [];
  };
  for await (const line of lines) {
    const event = JSON.parse(line) as RecordedEvent;
    if (run.length >= mostAtOnce || (run[0] !== undefined && run[0].stream !== event.stream)) await flush();
    run.push(event);
  }
  await flush();
  return count;
};

const newEvent = ({ id, type, schemaVersion, data, metadata }: RecordedEvent): NewEvent => ({
  ...{ id, type, schemaVersion, data, metadata },
});
