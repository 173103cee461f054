import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** While the action runs: the names that were in each folder when it was last brought to the disk. */
export const namesOnDisk = async (action: () => unknown): Promise<ReadonlyMap<string, readonly string[]>> => {
  const { openSync, fsyncSync } = fs;
  const opened = new Map<number, string>();
  const names = new Map<string, readonly string[]>();
  fs.openSync = (path, ...how) => {
    const file = openSync(path, ...how);
    opened.set(file, String(path));
    return file;
  };
  fs.fsyncSync = (file) => {
    fsyncSync(file);
    const path = opened.get(file);
    if (path !== undefined && fs.fstatSync(file).isDirectory()) names.set(path, fs.readdirSync(path));
  };
  syncBuiltinESMExports();
  try {
    await action();
    return names;
  } finally {
    Object.assign(fs, { openSync, fsyncSync });
    syncBuiltinESMExports();
  }
};
