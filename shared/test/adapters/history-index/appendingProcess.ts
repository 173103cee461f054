import { join } from 'node:path';
import process from 'node:process';
import { epoch, historyTopic, idAt, kept } from '@roomwire/testing/contracts/history-index/keptMessages';
import { openEmbeddedHistoryIndex } from '../../../src/adapters/history-index/embeddedHistoryIndex.js';

/** Appends messages from where the index is, says of each when it is safe, a few at a time, until it is killed. */
const [path = ''] = process.argv.slice(2);
const index = await openEmbeddedHistoryIndex({ file: (name) => join(path, name) });
let offset = (await index.partition(1))?.next ?? 0;

const appendInTurn = async (topic: number): Promise<void> => {
  for (;;) {
    const own = offset;
    offset += 1;
    const message = kept(idAt(Date.now(), own), { topic: historyTopic(`topic-${topic}`), messages: 100_000 });
    await index.append(1, [{ offset: own, message }], { epoch, next: own + 1 });
    process.send?.([topic, own]);
  }
};
await Promise.all([1, 2, 3, 4, 5].map(appendInTurn));
