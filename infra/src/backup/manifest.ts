import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readJsonFile, writeJsonFile } from '../process/keptSecrets.js';

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
