import { expect } from 'chai';
import { openEmbeddedEventLog } from '../../../src/adapters/event-log/embeddedEventLog.js';
import { openDataFolder } from '../../../src/adapters/lmdb/dataFolder.js';
import type { EventLog } from '../../../src/ports/eventLog.js';
import { allEvents, newEvent } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { ScriptProcess } from '../lmdb/scriptProcess.js';

const appendingProcess = new URL('./appendingProcess.js', import.meta.url);
const fullDiskProcess = new URL('./fullDiskProcess.js', import.meta.url);

describe('the embedded event log', () => {
  let temporary: TemporaryFolder;
  beforeEach(async () => {
    temporary = await temporaryFolder();
  });
  afterEach(() => temporary.remove());

  const withLog = async (test: (log: EventLog) => Promise<void>): Promise<void> => {
    const folder = await openDataFolder(temporary.path);
    const log = await openEmbeddedEventLog(folder);
    await test(log);
    await log.close();
    await folder.close();
  };

  it('keeps every acknowledged event when its process is killed', async function () {
    this.timeout(60_000);
    const acknowledged: string[] = [];
    for (const killedAfter of [1, 40, 200, 333, 1000]) {
      const appending = ScriptProcess.run(appendingProcess, temporary.path);
      await appending.hasPrinted(killedAfter);
      await appending.kill();
      acknowledged.push(...appending.lines);
      await withLog(async (log) => {
        const events = await allEvents(log);
        expect(events.map(({ id, position }) => `${id} ${position}`)).to.include.members(acknowledged);
        expect(events.length % 2, 'halves of an append').to.equal(0);
        expectUnbroken(events);
      });
    }
  });

  it('refuses appends while the disk is full, keeps its events, and resumes when there is space', async function () {
    if (process.platform === 'win32') return this.skip();
    const filling = ScriptProcess.runWithFileLimit(2000, fullDiskProcess, temporary.path);
    expect(await filling.ended()).to.equal(0);
    const [acknowledged, refusal, cause, readable] = filling.lines;
    expect(Number(acknowledged)).to.be.greaterThan(4);
    expect(refusal).to.equal('EngineUnavailable');
    expect(cause, 'the reason').to.match(/^Error: (?!Commit failed)/);
    expect(readable).to.equal(acknowledged);
    await withLog(async (log) => {
      expect(await allEvents(log)).to.have.length(Number(acknowledged));
      await log.append('room-1', 'none', [newEvent('x'.repeat(1_000_000))]);
      expect(await allEvents(log)).to.have.length(Number(acknowledged) + 1);
    });
  });
});

const expectUnbroken = (events: Awaited<ReturnType<typeof allEvents>>): void => {
  const next = new Map<string, number>();
  for (const { stream, revision } of events) {
    expect(revision, `revision in ${stream}`).to.equal(next.get(stream) ?? 0);
    next.set(stream, revision + 1);
  }
};
