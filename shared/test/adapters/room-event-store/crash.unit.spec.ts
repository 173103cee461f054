import { Buffer } from 'node:buffer';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { rollOf } from '@roomwire/testing/contracts/roomEventStoreContract';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedRoomEventStore } from '../../../src/adapters/room-event-store/embeddedRoomEventStore.js';

const appendingProcess = fileURLToPath(new URL('./appendingProcess.js', import.meta.url));

type Appended = readonly [roomId: string, revision: number, write: string];

describe('the events of rooms on files, killed while records are appended', () => {
  it('keep every acknowledged record but those that were replaced, without a gap', async function () {
    this.timeout(60_000);
    const folder = await temporaryFolder();
    const acknowledged: Appended[] = [];
    for (const killedAfterMs of [37, 71, 110]) {
      const child = fork(appendingProcess, [folder.path]);
      child.on('message', (appended) => acknowledged.push(appended as Appended));
      await once(child, 'message');
      await pause(killedAfterMs);
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    expect(acknowledged.length).to.be.greaterThan(30);
    expect(acknowledged.filter(([, , write]) => write !== 'stored')).to.eql([]);

    const store = await openEmbeddedRoomEventStore({ file: (name) => join(folder.path, name) });
    for (const roomId of ['a', 'b', 'c']) {
      const records = (await store.read(rollOf(roomId)))?.records ?? [];
      const revisions = records.map(({ revision }) => revision);
      const [first = 0] = revisions;
      expect(revisions).to.eql(revisions.map((_, index) => first + index));
      expect(records.map(({ content }) => Number(Buffer.from(content)))).to.eql(revisions);
      const safe = acknowledged.filter(([of]) => of === roomId).map(([, revision]) => revision);
      expect(revisions.at(-1)).to.be.at.least(Math.max(...safe));
      expect(first === 1 || first % 10 === 0).to.equal(true);
    }
    await store.close();
    await folder.remove();
  });
});
