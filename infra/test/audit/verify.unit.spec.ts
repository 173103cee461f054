import { readFile, writeFile } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { expect } from 'chai';
import { changesOf } from '@roomwire/projections/projectors';
import { createProjections } from '@roomwire/projections/projections';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder, type DataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { createViewFold } from '@roomwire/shared/adapters/view-store/viewFold';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { ViewChange, ViewStore, ViewStores } from '@roomwire/shared/ports/viewStore';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { describeDifference, verifyViews } from '../../src/audit/verifyViews.js';
import {
  chained,
  chainStart,
  comparedWithLog,
  exportFormats,
  exportLayouts,
  type ExportFormat,
  exportLog,
  verifyExport,
} from '../../src/audit/exportLog.js';
import { upTo } from '../../src/audit/upTo.js';
import { progressBar } from '../../src/cli/progressBar.js';
import { writeHistory } from '../support/eventLogAccess.js';
import { seededHistory } from './seededHistory.js';

const seed = 88;
const { events } = seededHistory(seed, 1_200);

describe(`checks of the log and the read models (seed ${seed})`, () => {
  let files: TemporaryFolder;
  let folder: DataFolder;
  let log: EventLog;
  let stores: ViewStores;
  let views: ViewStore;
  const { logger } = createRecordingLogger();

  before(async () => {
    files = await temporaryFolder();
    folder = await openDataFolder(files.path);
    log = await openEmbeddedEventLog(folder);
    await writeHistory(log, events);
  });
  after(async () => {
    for (const each of [log, folder]) await each.close();
    await files.remove();
  });

  describe('of the read models', () => {
    beforeEach(async () => {
      stores = await openEmbeddedViewStores(folder);
      views = stores.views;
      const bus = await openEmbeddedMessageBus(folder);
      const projections = createProjections({
        payloads: noPayloads,
        log,
        views,
        bus,
        clock: systemClock,
        logger,
      });
      await projections.start();
      await projections.caughtUp;
      await projections.close();
      await bus.close();
    });
    afterEach(async () => {
      await views.clear();
      await stores.close();
    });

    const check = () => verifyViews({ log, views, createFold: () => createViewFold(changesOf) });
    /** Behind the last event, so that the store takes it; the fold does not get so far. */
    const plant = (...changes: ViewChange[]) => views.apply({ changes, position: '9'.repeat(16) });
    const aRoom = async () => (await views.find('rooms', { sort: [['roomId', 1]], limit: 1 }))[0] as any;

    it('find nothing in what the projections wrote', async () => {
      const report = await check();
      expect(report).to.deep.include({ events: events.length, differences: [] });
      expect(report.documents).to.be.greaterThan(100);
    });

    it('find a changed field, and nothing else', async () => {
      const { roomId, name, metadata } = await aRoom();
      await plant({ patch: 'rooms', id: roomId, set: { name: 'Planted', metadata: { ...metadata, n: -1 } } });
      const { differences } = await check();
      expect(differences).to.eql([
        {
          ...{ view: 'rooms', id: roomId, isIn: 'both' },
          fields: [
            { path: '/name', before: name, after: 'Planted' },
            { path: '/metadata/n', before: metadata.n, after: -1 },
          ],
        },
      ]);
    });

    it('find a missing record and one without an event, and nothing else', async () => {
      const room = await aRoom();
      await plant(
        { remove: 'rooms', id: room.roomId },
        { put: 'rooms', id: 'planted', doc: { ...room, roomId: 'planted' } },
      );
      const { differences } = await check();
      expect(differences.map(describeDifference)).to.have.members([
        `rooms ${room.roomId} is not in the read models`,
        'rooms planted is in the read models and not in the log',
      ]);
    });

    it('name a changed hash and do not show it', async () => {
      const [actor] = await views.find('actors', { limit: 1 });
      await plant({ patch: 'actors', id: actor?.actorTokenId ?? '', set: { secretHash: 'ef'.repeat(32) } });
      const { differences } = await check();
      expect(differences.map(describeDifference)).to.eql([
        `actors ${actor?.actorTokenId} : /secretHash is another one`.replace(' :', ':'),
      ]);
    });

    it('read again what a service writes during the check', async () => {
      const positions: string[] = [];
      for await (const batch of log.readAll()) positions.push(...batch.map(({ position }) => position));
      // Its documents are ahead of the checkpoint, as they are on MongoDB while a batch is written.
      let looks = 0;
      const moving: Pick<ViewStore, 'get' | 'find' | 'count' | 'checkpoint'> = {
        get: (view, id) => views.get(view, id),
        find: (view, query) => views.find(view, query),
        count: (view, filter) => views.count(view, filter),
        checkpoint: async () => positions.at((looks += 1) < 3 ? -200 : -1),
      };
      const createFold = () => createViewFold(changesOf);
      const report = await verifyViews({ log, views: moving, createFold });
      expect(looks).to.equal(3);
      expect(report).to.deep.include({ differences: [], events: events.length });
    });

    it('report read models that have not been built', async () => {
      await views.clear();
      expect(await check()).to.eql({ events: 0, documents: 0, differences: [], checkpoint: undefined });
    });
  });

  for (const format of exportFormats)
    describe(`of an export as ${format}`, () => {
      let file: string;
      let text: string;

      before(async () => {
        file = join(files.path, `export.${format}`);
        const report = await exportTo(file, format);
        expect(report.events).to.equal(events.length);
        text = await readFile(file, 'utf8');
      });

      const exportTo = async (path: string, as: ExportFormat) => {
        const out = createWriteStream(path);
        const report = await exportLog(log, as, out);
        out.end();
        await finished(out);
        return report;
      };
      const verdictOn = async (changed: string) => {
        await writeFile(`${file}.changed`, changed);
        return verifyExport(`${file}.changed`, comparedWithLog(log));
      };
      const lines = () => text.trimEnd().split('\n');
      const offset = format === 'csv' ? 1 : 0;

      it('find nothing in a complete export', async () => {
        const verdict = await verifyExport(file, comparedWithLog(log));
        expect(verdict).to.deep.include({ events: events.length, fault: undefined });
        expect(text).to.include(verdict.chain);
        expect(text).to.not.match(/secretHash|sealedSecret|ciphertext/);
      });

      it('find a changed, a missing, a duplicated and a moved line, and where', async () => {
        const at = 500;
        const broken = `the chain is broken at line ${at + 1}`;
        const [all, line = ''] = [lines(), lines()[at]];
        const changed = line.replace(/session:|apiKey:/, 'system:');
        expect((await verdictOn(all.with(at, changed).join('\n'))).fault).to.equal(broken);
        expect((await verdictOn(all.toSpliced(at, 1).join('\n'))).fault).to.equal(broken);
        expect((await verdictOn(all.toSpliced(at, 0, all[at - 1] ?? '').join('\n'))).fault).to.equal(broken);
        const swapped = all.with(at, all[at + 1] ?? '').with(at + 1, line);
        const verdict = await verdictOn(swapped.join('\n'));
        expect(verdict).to.include({ fault: broken, events: at - offset });
      });

      it('find an export that was rewritten as a whole', async () => {
        const other = await temporaryFolder();
        const otherFolder = await openDataFolder(other.path);
        const otherLog = await openEmbeddedEventLog(otherFolder);
        const last = events.at(-1);
        await writeHistory(otherLog, [
          ...events.slice(0, -1),
          { ...last, id: last?.id ?? '', data: {} } as any,
        ]);
        const { fault } = await verifyExport(file, comparedWithLog(otherLog));
        expect(fault).to.equal(`line ${events.length + offset} is not what the log says`);
        for (const each of [otherLog, otherFolder]) await each.close();
        await other.remove();
      });

      it('find a truncated file, and accept one that ends with a whole line as an earlier export', async () => {
        expect((await verdictOn(text.slice(0, -30))).fault).to.match(/cut off|has no hash/);
        const shorter = lines()
          .slice(0, 300 + offset)
          .join('\n');
        expect(await verdictOn(shorter)).to.include({ events: 300, fault: undefined });
      });
    });

  it('accept an export of an earlier version, which shows headers of webhooks, and show none themselves', async () => {
    const other = await temporaryFolder();
    const otherFolder = await openDataFolder(other.path);
    const otherLog = await openEmbeddedEventLog(otherFolder);
    const [first] = events;
    const triggerWebhook = { url: 'https://example.com/?key=secret', headers: { 'X-Key': 'secret' } };
    await writeHistory(otherLog, [{ ...first, type: 'AppCreated', data: { triggerWebhook } } as any]);
    for (const format of exportFormats) {
      const file = join(other.path, format);
      const out = createWriteStream(file);
      await exportLog(otherLog, format, out);
      out.end();
      await finished(out);
      const text = await readFile(file, 'utf8');
      expect(text).to.include('X-Key').and.not.include('secret');
      expect(await verifyExport(file, comparedWithLog(otherLog)), format).to.include({
        events: 1,
        fault: undefined,
      });

      const { heading, lineOf, withChain } = exportLayouts[format];
      for await (const [event] of otherLog.readAll()) {
        const line = lineOf(event as RecordedEvent, { show: (data) => data });
        expect(line).to.include('secret');
        const lines = [
          ...(heading === undefined ? [] : [heading]),
          withChain(line, chained(chainStart, line)),
        ];
        await writeFile(file, `${lines.join('\n')}\n`);
      }
      expect(await verifyExport(file, comparedWithLog(otherLog)), format).to.include({
        events: 1,
        fault: undefined,
      });
    }
    for (const each of [otherLog, otherFolder]) await each.close();
    await other.remove();
  });

  it('exports cells and lines unchanged, whatever they contain', async () => {
    const other = await temporaryFolder();
    const otherFolder = await openDataFolder(other.path);
    const otherLog = await openEmbeddedEventLog(otherFolder);
    const [first] = events;
    const odd = { name: 'a\u2028b"c,\r\nd', chain: 'x' };
    const metadata = { ...first?.metadata, principal: 'session:a\n"b",\u2029', requestId: '=1+1' };
    await writeHistory(otherLog, [{ ...first, data: odd, metadata } as any, ...events.slice(1, 5)]);
    for (const format of exportFormats) {
      const file = join(other.path, format);
      const out = createWriteStream(file);
      await exportLog(otherLog, format, out);
      out.end();
      await finished(out);
      expect(await verifyExport(file, comparedWithLog(otherLog)), format).to.include({
        events: 5,
        fault: undefined,
      });
      if (format === 'csv') expect(await readFile(file, 'utf8')).to.include(`,'=1+1,`);
    }
    for (const each of [otherLog, otherFolder]) await each.close();
    await other.remove();
  });

  it('reads the log up to a position and not beyond', async () => {
    const positions: string[] = [];
    for await (const batch of upTo(log, '0000000000000700', '0000000000000100'))
      positions.push(...batch.map(({ position }) => position));
    expect([positions.length, positions[0], positions.at(-1)]).to.eql([
      600,
      '0000000000000101',
      '0000000000000700',
    ]);
  });

  it('draws a progress bar on a terminal only', () => {
    let [drawn, time] = ['', 0];
    const terminal = (isTTY: boolean) => ({ isTTY, write: (text: string) => (drawn += text) });
    const quiet = progressBar('Exporting', '0000000000001000', terminal(false), () => time);
    quiet.show(500, '0000000000000500');
    quiet.end();
    expect(drawn).to.equal('');
    const bar = progressBar('Exporting', '0000000000001000', terminal(true), () => time);
    time = 2_000;
    bar.show(500, '0000000000000500');
    time = 2_050;
    bar.show(600, '0000000000000600');
    expect(drawn).to.equal('\r\u001b[KExporting ████████████░░░░░░░░░░░░  50 %  500 events, 250/s, 2 s left');
    bar.end();
    expect(drawn.endsWith('\r\u001b[K')).to.equal(true);
  });
});
