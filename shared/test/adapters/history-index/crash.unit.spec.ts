import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { historyTopic, offsetsOf } from '@roomwire/testing/contracts/history-index/keptMessages';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedHistoryIndex } from '../../../src/adapters/history-index/embeddedHistoryIndex.js';

const appendingProcess = fileURLToPath(new URL('./appendingProcess.js', import.meta.url));

type Appended = readonly [topic: number, offset: number];

/** The messages that were said to be safe before it was killed. */
const appendUntilKilled = async (path: string, killedAfterMs: number): Promise<readonly Appended[]> => {
  const acknowledged: Appended[] = [];
  const child = fork(appendingProcess, [path]);
  child.on('message', (appended) => acknowledged.push(appended as Appended));
  await once(child, 'message');
  await pause(killedAfterMs);
  child.kill('SIGKILL');
  await once(child, 'close');
  return acknowledged;
};

describe('the embedded history index, killed while messages are appended', () => {
  it('keeps every acknowledged message, once and in order, and never gives its place again', async function () {
    this.timeout(60_000);
    const folder = await temporaryFolder();
    const acknowledged: Appended[] = [];
    for (const killedAfterMs of [37, 71, 110])
      acknowledged.push(...(await appendUntilKilled(folder.path, killedAfterMs)));
    const offsets = acknowledged.map(([, offset]) => offset);
    expect(offsets.length).to.be.greaterThan(50);
    expect(new Set(offsets).size).to.equal(offsets.length);

    const index = await openEmbeddedHistoryIndex({ file: (name) => join(folder.path, name) });
    for (const topic of [1, 2, 3, 4, 5]) {
      const found = await offsetsOf(index, historyTopic(`topic-${topic}`));
      expect(found).to.eql([...new Set(found)].sort((one, other) => one - other));
      expect(found).to.include.members(
        acknowledged.filter(([of]) => of === topic).map(([, offset]) => offset),
      );
    }
    await index.close();
    await folder.remove();
  });
});
