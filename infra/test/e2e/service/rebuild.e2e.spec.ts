import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import type { NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { plantInViews } from '../../support/eventLogAccess.js';
import { runRoomwire, startProgram, stop, type Program } from '../../support/program.js';
import { readTheirWrites } from '../../support/readingTheirWrites.js';

const quiet = { ROOMWIRE_LOG_LEVEL: 'error', ROOMWIRE_REST_RATE: '0' };

describe('roomwire projections rebuild', function () {
  // Each command is a separate process.
  this.timeout(180_000);
  let folder: TemporaryFolder;
  let appId: string;
  let roomId: string;

  beforeEach(async () => {
    folder = await temporaryFolder();
    const service = await startProgram(folder.path, quiet);
    ({ appId } = (await service.project.post('/apps', { name: 'App' })).body);
    ({ roomId } = (await service.project.post(`/apps/${appId}/rooms`, { name: 'Room' })).body);
    await stop(service);
  });
  afterEach(() => folder.remove());

  const rebuild = (): Program =>
    runRoomwire(['projections', 'rebuild'], { ROOMWIRE_DATA_DIR: folder.path, ...quiet });
  const ended = async (program: Program) => ({
    code: (await program.ended).code,
    stdout: program.stdout(),
    stderr: program.stderr(),
  });
  const onFiles = async (use: (engines: { log: EventLog; views: ViewStore }) => Promise<void>) => {
    const owned = await openDataFolder(folder.path);
    const [log, stores] = [await openEmbeddedEventLog(owned), await openEmbeddedViewStores(owned)];
    await use({ log, views: stores.views });
    for (const each of [stores, log, owned]) await each.close();
  };
  const plant = () =>
    onFiles((engines) => plantInViews(engines, [{ patch: 'rooms', id: roomId, set: { name: 'Planted' } }]));
  const nameOf = async (service: Awaited<ReturnType<typeof startProgram>>): Promise<string> =>
    (await service.project.get(`/apps/${appId}/rooms/${roomId}`)).body.name;
  const isThere = (file: string): Promise<boolean> =>
    access(join(folder.path, file)).then(
      () => true,
      () => false,
    );

  it('rebuilds the read models of a stopped Roomwire', async () => {
    await plant();
    const { code, stdout, stderr } = await ended(rebuild());
    expect({ code, stderr }).to.eql({ code: 0, stderr: '' });
    expect(stdout).to.match(/^Rebuilt the read models from \d+ events in [\d.]+ s\n$/);
    const service = await startProgram(folder.path, quiet);
    expect(await nameOf(service)).to.equal('Room');
    await stop(service);
  });

  it('runs in a running Roomwire, during requests that read and write', async () => {
    await plant();
    const service = await startProgram(folder.path, quiet);
    expect(await nameOf(service)).to.equal('Planted');
    const traffic = readTheirWrites(appId, [service.project]);
    for (let round = 0; round < 3; round += 1)
      expect(await ended(rebuild())).to.include({ code: 0, stderr: '' });
    expect(await traffic.stop()).to.be.greaterThan(10);
    expect(await nameOf(service)).to.equal('Room');

    // On disk as well, at once.
    await stop(service, 'SIGKILL');
    const again = await startProgram(folder.path, quiet);
    expect(await nameOf(again)).to.equal('Room');
    await stop(again);
    const verify = runRoomwire(['audit', 'verify'], { ROOMWIRE_DATA_DIR: folder.path, ...quiet });
    expect(await ended(verify)).to.include({ code: 0, stderr: '' });
  });

  it('leaves the read models unchanged when it is killed, and is not resumed by itself', async () => {
    await onFiles(({ log }) => fill(log, 20_000));
    await stop(await startProgram(folder.path, quiet));
    await plant();
    for (const at of ['building', 'taken up'] as const) {
      const service = await startProgram(folder.path, quiet);
      const command = rebuild();
      const isBuilding = async (): Promise<boolean> =>
        JSON.parse(await readFile(join(folder.path, 'rebuild.status.json'), 'utf8')).state === 'building';
      if (at === 'building') await eventually(() => isBuilding().catch(() => false), { withinMs: 20_000 });
      else await eventually(() => isThere('rebuild.request.json'), { withinMs: 20_000 });
      await stop(service, 'SIGKILL');
      command.process.kill('SIGKILL');
      await command.ended;
    }
    const service = await startProgram(folder.path, quiet);
    expect(await nameOf(service)).to.be.oneOf(['Planted', 'Room']);
    await eventually(async () => !(await isThere('rebuild.request.json')), { withinMs: 20_000 });
    expect(await ended(rebuild())).to.include({ code: 0, stderr: '' });
    expect(await nameOf(service)).to.equal('Room');
    await stop(service);
  });

  it('reports that there is nothing to rebuild', async () => {
    const nowhere = runRoomwire(['projections', 'rebuild'], { ROOMWIRE_DATA_DIR: join(folder.path, 'none') });
    const { code, stderr } = await ended(nowhere);
    expect(code).to.equal(2);
    expect(stderr).to.include('there is no event log in');
  });
});

/** Events of one organization’s projects, many to an append. */
const fill = async (log: EventLog, count: number): Promise<void> => {
  const perAppend = 500;
  for (let from = 0; from < count; from += perAppend) {
    const events = Array.from({ length: perAppend }, (_, n): NewEvent => {
      const id = `00000000-0000-4000-8000-${String(from + n).padStart(12, '0')}`;
      return {
        ...{ id, type: 'ProjectCreated', schemaVersion: 1 },
        data: { projectId: id, organizationId: 'o', name: 'P' },
        metadata: {
          occurredAt: '2026-01-01T00:00:00.000Z',
          ...{ organizationId: 'o', projectId: id, principal: 'system', requestId: 'r' },
        },
      };
    });
    await log.append(`filled-${from}`, 'none', events as [NewEvent, ...NewEvent[]]);
  }
};
