import { readdirSync } from 'node:fs';
import { link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { byPartition, coverageOf, factFileOf, nameOf, type FactFile } from './coverage.js';

/** No writer takes longer from the beginning of a file to its name. */
const abandonedAfterMs = 600_000;
/** Readers that have listed the files may still read those that were replaced. */
const redundantForMs = 60_000;

const temporaryName = /^\.[\da-f-]{36}\.tmp$/;

/** The files of one stream. Any number of processes may read and write here: a file has its name once it is whole and on disk. */
export class FactFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Makes it where it is missing, and removes what writers that were killed have left. */
  async open(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.path))
      if (temporaryName.test(name) && (await this.ageMs(name)) > abandonedAfterMs)
        await this.discard(join(this.path, name));
  }

  pathOf(file: FactFile): string {
    return join(this.path, nameOf(file));
  }

  temporaryPath(): string {
    return join(this.path, `.${randomUUID()}.tmp`);
  }

  /** No files where there is no folder. */
  async files(): Promise<readonly FactFile[]> {
    return factFilesOf(await readdir(this.path).catch(noneIfMissing));
  }

  /** For those who must know at once. Undefined where nothing of the partition has been written. */
  nextPlace(partition: number): number | undefined {
    const files = factFilesOf(readdirSync(this.path)).filter((file) => file.partition === partition);
    return coverageOf(files).next;
  }

  /**
   * Gives what was written its name. It is on disk then, name and all. A file that has the name already holds the same facts and
   * stays: readers never see it change.
   */
  async publish(temporary: string, file: FactFile): Promise<void> {
    await sync(temporary);
    await link(temporary, this.pathOf(file)).catch(unlessThere);
    await sync(this.path);
  }

  async discard(temporary: string): Promise<void> {
    await rm(temporary, { force: true });
  }

  async remove(file: FactFile): Promise<void> {
    await rm(this.pathOf(file), { force: true });
  }

  /** Removes files whose facts stand in others, once they are no longer read. */
  async removeRedundant(): Promise<void> {
    for (const files of byPartition(await this.files()).values())
      for (const { file, coveredBy } of coverageOf(files).redundant)
        if ((await this.ageMs(nameOf(coveredBy))) > redundantForMs) await this.remove(file);
  }

  /** Nothing of age where another process has removed it. */
  private async ageMs(name: string): Promise<number> {
    const found = await stat(join(this.path, name)).catch(() => undefined);
    return found ? Date.now() - found.mtimeMs : 0;
  }
}

const factFilesOf = (names: readonly string[]): readonly FactFile[] =>
  names.flatMap((name) => factFileOf(name) ?? []);

const unlessThere = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EEXIST') throw error;
};

const noneIfMissing = (error: NodeJS.ErrnoException): string[] => {
  if (error.code === 'ENOENT') return [];
  throw error;
};

/** Of a file, or of the names in a folder. */
const sync = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
