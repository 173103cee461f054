import { writeSync } from 'node:fs';
import { openDurableEnvironment } from '../../../src/adapters/lmdb/durableEnvironment.js';

/** Puts and removes values of all sizes until it is killed; prints a line for each hundred commits. */
const [path = ''] = process.argv.slice(2);
const { root, transact } = openDurableEnvironment(path);
const values = root.openDB<Buffer, number>('values', { encoding: 'binary' });
for (let commits = 1; ; commits += 1) {
  await transact(() => {
    for (let write = 0; write < 20; write += 1) {
      const key = Math.floor(Math.random() * 2_000);
      if (Math.random() < 0.4) void values.remove(key);
      else void values.put(key, Buffer.alloc(Math.floor(Math.random() ** 6 * 100_000), key % 256));
    }
  });
  if (commits % 100 === 0) writeSync(1, `${commits}\n`);
}
