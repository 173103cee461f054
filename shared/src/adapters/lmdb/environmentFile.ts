import { accessSync, closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';

// Where LMDB cannot open a file, lmdb-js 3.5.6 ends the process with a segmentation fault, without a word of the file
// that belongs to another user or is damaged. So both are checked before.

/** Throws the operating system's error where an environment could not be made or written. */
export const requireAccess = (path: string): void => {
  accessSync(dirname(path), constants.W_OK | constants.X_OK);
  for (const file of [path, `${path}-lock`]) {
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  }
};

/** Whether there is something in the file that does not begin as LMDB's files do. */
export const isDamaged = (path: string): boolean => {
  if (!existsSync(path)) return false;
  const start = firstBytes(path);
  return start.length > 0 && !start.includes(magicNumber);
};

/** 0xBEEFC0DE in the header of the first page. */
const magicNumber = Buffer.from([0xde, 0xc0, 0xef, 0xbe]);

const firstBytes = (path: string): Buffer => {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(64);
    return bytes.subarray(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
};
