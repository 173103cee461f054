import { writeSync } from 'node:fs';
import { openDataFolder } from '../../../src/adapters/lmdb/dataFolder.js';
import { DataFolderInUse } from '../../../src/ports/errors.js';

/** Prints whether it got the folder, and keeps it until it is killed. */
const [path = ''] = process.argv.slice(2);
const answer = await openDataFolder(path).then(
  () => 'owner',
  (error: unknown) => (error instanceof DataFolderInUse ? 'refused' : String(error)),
);
writeSync(1, `${answer}\n`);
setInterval(() => undefined, 60_000);
