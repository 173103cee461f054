import { join } from 'node:path';
import process from 'node:process';
import { openEmbeddedMessageBus } from '../../../src/adapters/message-bus/embeddedMessageBus.js';
import { jobs } from '@roomwire/testing/contracts/message-bus/busUnderTest';

/** Puts jobs and says of each when it is safe, a few lines of them at a time, until it is killed. */
const [path = '', from = '0'] = process.argv.slice(2);
const bus = await openEmbeddedMessageBus({ file: (name) => join(path, name) });

const putInLine = async (line: number): Promise<void> => {
  for (let count = 1; ; count += 1) {
    const value = `${from}-${line}-${count}`;
    await bus.put(jobs, { key: `line ${line}`, value });
    process.send?.(value);
  }
};
await Promise.all([1, 2, 3, 4, 5].map(putInLine));
