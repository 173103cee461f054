import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedHistoryIndex } from '../../../src/adapters/history-index/embeddedHistoryIndex.js';
import { systemClock } from '../../../src/adapters/system/systemClock.js';
import { HistoryJournal } from '../../../src/history/historyJournal.js';
import { IndexedHistory } from '../../../src/history/indexedHistory.js';
import { gathered, topicNamed } from '../../history/keptMessages.js';

const keepingProcess = fileURLToPath(new URL('./keepingProcess.js', import.meta.url));

interface Said {
  readonly offset: number;
  readonly delivered?: string;
  readonly acknowledged?: string;
}

/** `most`: of what it says before it is killed, which finds it at work on more. */
const keepUntilKilled = async (path: string, from: number, most: number): Promise<Said[]> => {
  const said: Said[] = [];
  const child = fork(keepingProcess, [path, String(from)]);
  child.on('message', (each) => {
    said.push(each as Said);
    if (said.length === most) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return said;
};

describe('a history on files, whose process is killed while messages are kept', () => {
  it('[WS-HIST-3] has all that was acknowledged, and all that was delivered, each once at its offset', async function () {
    this.timeout(60_000);
    const folder = await temporaryFolder();
    const said: Said[] = [];
    for (const [run, most] of [37, 71, 110].entries())
      said.push(...(await keepUntilKilled(folder.path, run * 1_000_000, most)));

    const index = await openEmbeddedHistoryIndex({ file: (name) => join(folder.path, name) });
    const history = new IndexedHistory(index, await HistoryJournal.open(index, systemClock));
    const views = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => history.look(topicNamed(name))),
    );
    const found = (await Promise.all(views.map((view) => gathered(view.oldestFirst())))).flat();
    await index.close();
    await folder.remove();

    expect(said.length).to.be.at.least(37 + 71 + 110);
    const idAt = new Map(found.map(({ place, message }) => [place.offset, message.id]));
    expect(idAt.size).to.equal(found.length);
    for (const { offset, delivered, acknowledged } of said)
      expect(idAt.get(offset)).to.equal(delivered ?? acknowledged);
    const delivered = said.flatMap((each) => (each.delivered === undefined ? [] : each.offset));
    expect(delivered).to.eql([...new Set(delivered)].sort((one, other) => one - other));
    expect(new Set(found.map(({ place }) => place.epoch)).size).to.equal(1);
    expect(views.map(({ upTo }) => upTo)).to.eql(views.map(() => Math.max(...idAt.keys())));
  });
});
