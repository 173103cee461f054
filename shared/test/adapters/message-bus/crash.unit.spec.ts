import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openEmbeddedMessageBus } from '../../../src/adapters/message-bus/embeddedMessageBus.js';
import { eventually } from '@roomwire/testing/run/eventually';
import { jobs } from '@roomwire/testing/contracts/message-bus/busUnderTest';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const puttingProcess = fileURLToPath(new URL('./puttingProcess.js', import.meta.url));

/** Values of the jobs that were said to be safe before it was killed. */
const putUntilKilled = async (path: string, from: number, killedAfterMs: number): Promise<string[]> => {
  const acknowledged: string[] = [];
  const child = fork(puttingProcess, [path, String(from)]);
  child.on('message', (value) => acknowledged.push(value as string));
  await once(child, 'message');
  await pause(killedAfterMs);
  child.kill('SIGKILL');
  await once(child, 'close');
  return acknowledged;
};

describe('the embedded message bus, killed while jobs are put', () => {
  it('keeps every acknowledged job, in order', async function () {
    this.timeout(60_000);
    const folder = await temporaryFolder();
    const acknowledged: string[] = [];
    for (const [from, killedAfterMs] of [37, 71, 110].entries())
      acknowledged.push(...(await putUntilKilled(folder.path, from, killedAfterMs)));

    const bus = await openEmbeddedMessageBus({ file: (name) => join(folder.path, name) });
    const done: string[] = [];
    await bus.work(jobs, { concurrency: 10 }, async ({ value }) => void done.push(value as string));
    const marker = 'the last job of all';
    for (let line = 1; line <= 5; line += 1) await bus.put(jobs, { key: `line ${line}`, value: marker });
    await eventually(() => done.filter((value) => value === marker).length === 5);
    await bus.close();
    await folder.remove();

    expect(acknowledged.length).to.be.greaterThan(50);
    expect(done).to.include.members(acknowledged);
    const safe = new Set(acknowledged);
    for (let line = 1; line <= 5; line += 1) {
      const ofLine = (value: string): boolean => value.split('-')[1] === String(line) && safe.has(value);
      expect(done.filter(ofLine)).to.deep.equal(acknowledged.filter(ofLine));
    }
  });
});
