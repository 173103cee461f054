import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { runRoomwire, startProgram, stop } from '../../support/program.js';

const quiet = { ROOMWIRE_LOG_LEVEL: 'error', ROOMWIRE_REST_RATE: '0' };

describe('roomwire audit', function () {
  // Each command is a separate process.
  this.timeout(60_000);
  let folder: TemporaryFolder;
  let roomId: string;

  beforeEach(async () => {
    folder = await temporaryFolder();
    const service = await startProgram(folder.path, quiet);
    const { appId } = (await service.project.post('/apps', { name: 'App' })).body;
    ({ roomId } = (await service.project.post(`/apps/${appId}/rooms`, { name: 'Room' })).body);
    await stop(service);
  });
  afterEach(() => folder.remove());

  const audit = async (...args: string[]) => {
    const program = runRoomwire(['audit', ...args], { ROOMWIRE_DATA_DIR: folder.path, ...quiet });
    const { code } = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };
  const plant = async (): Promise<void> => {
    const owned = await openDataFolder(folder.path);
    const stores = await openEmbeddedViewStores(owned);
    const { views } = stores;
    await views.apply({
      changes: [{ patch: 'rooms', id: roomId, set: { name: 'Planted' } }],
      position: '9'.repeat(16),
    });
    await stores.close();
    await owned.close();
  };

  it('verify reports that the read models match the log, or each difference', async () => {
    expect(await audit('verify')).to.deep.include({ code: 0, stderr: '' });
    await plant();
    const { code, stdout, stderr } = await audit('verify');
    expect([code, stdout]).to.eql([1, `rooms ${roomId}: /name is "Planted", by the log "Room"\n`]);
    expect(stderr).to.match(/^1 differences in \d+ records of \d+ events\n$/);
  });

  it('export writes the history, and verify --export checks it', async () => {
    const printed = await audit('export');
    const lines = printed.stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).to.include.members(['AppCreated', 'RoomCreated']);
    const file = join(folder.path, 'history.jsonl');
    const written = await audit('export', '--output', file);
    expect(written).to.deep.include({ code: 0, stdout: '', stderr: printed.stderr });
    expect(await readFile(file, 'utf8')).to.equal(printed.stdout);
    expect(written.stderr).to.equal(
      `Exported ${lines.length} events; the chain ends with ${JSON.parse(lines.at(-1) ?? '').chain}\n`,
    );
    expect(await audit('verify', '--export', file)).to.deep.include({ code: 0, stderr: '' });
    expect((await audit('export', '--output', file)).code, 'an export over another').to.equal(1);

    await writeFile(file, printed.stdout.replace('"Room"', '"Moor"'));
    const { code, stderr } = await audit('verify', '--export', file);
    expect(code).to.equal(1);
    expect(stderr).to.match(/the chain is broken at line \d+; the \d+ events before it are sound\n$/);
  });

  it('refuses to run while Roomwire uses the folder, and where there is no log', async () => {
    const service = await startProgram(folder.path, quiet);
    for (const command of ['export', 'verify']) {
      const { code, stderr } = await audit(command);
      expect(code).to.equal(1);
      expect(stderr).to.match(/^The data folder .* is in use by process \d+: stop Roomwire/);
    }
    await stop(service);
    const nowhere = runRoomwire(['audit', 'verify'], { ROOMWIRE_DATA_DIR: join(folder.path, 'none') });
    expect((await nowhere.ended).code).to.equal(2);
    expect(nowhere.stderr()).to.include('there is no event log in');
  });
});
