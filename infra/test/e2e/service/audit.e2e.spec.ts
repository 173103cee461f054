import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEventTables, type EventTables } from '@roomwire/shared/adapters/event-log/eventTables';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { auditKeyOf, publicKeyOf } from '@roomwire/shared/credentials/auditKeys';
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
    const [told, signature] = written.stderr.trimEnd().split('\n');
    expect(told).to.equal(
      `Exported ${lines.length} events; the chain ends with ${JSON.parse(lines.at(-1) ?? '').chain}`,
    );
    expect(signature).to.equal(`Signature: ${(await readFile(`${file}.sig`, 'utf8')).trimEnd()}`);
    const sound = await audit('verify', '--export', file);
    expect(sound).to.deep.include({ code: 0, stderr: '' });
    expect(sound.stdout).to.include('is whole and signed');
    expect((await audit('export', '--output', file)).code, 'an export over another').to.equal(1);

    await writeFile(file, printed.stdout.replace('"Room"', '"Moor"'));
    const { code, stderr } = await audit('verify', '--export', file);
    expect(code).to.equal(1);
    expect(stderr).to.match(/the chain is broken at line \d+; the \d+ events before it are sound\n$/);
  });

  it('verify shows an event that was changed, and one that was cut off, with the key of the folder', async () => {
    const whole = await audit('verify');
    expect(whole.stdout).to.match(
      /^The chains are whole: \d+ events of \d+ streams; their heads are recorded up to /,
    );
    const [, witness = ''] = /up to (\d+:[\w-]{43})$/m.exec(whole.stdout) ?? [];
    expect(await audit('verify', '--witness', witness)).to.deep.include({ code: 0, stderr: '' });
    expect((await audit('verify', '--witness', `7:${'x'.repeat(43)}`)).code).to.equal(1);

    await tamper(({ events }) => {
      for (const { key, value } of events.getRange())
        if (value.includes('"RoomCreated"')) events.putSync(key, value.replace('"Room"', '"Moor"'));
    });
    const changed = await audit('verify');
    expect(changed.code).to.equal(1);
    expect(changed.stdout).to.match(/^Event 0 of rooms-\S+, RoomCreated, is not what was appended there/);
    expect(changed.stderr).to.match(/^1 findings in the chains of \d+ events; 1 differences in /);

    await tamper(({ events }) => {
      for (const { key, value } of events.getRange())
        if (value.includes('"RoomCreated"')) events.removeSync(key);
    });
    expect((await audit('verify')).stdout).to.match(
      /^Cut off: by record 0 of the heads, event 0 of rooms-\S+ was there/,
    );
  });

  const tamper = async (change: (tables: EventTables) => void): Promise<void> => {
    const tables = await openEventTables(join(folder.path, 'events.lmdb'));
    await tables.environment.transact(() => change(tables));
    await tables.environment.close();
  };

  it('verify --public-key checks an export without the log, by its signature and, with the key, its proofs', async () => {
    const file = join(folder.path, 'history.jsonl');
    await audit('export', '--output', file);
    const publicKey = (await audit('public-key')).stdout.trim();
    const elsewhere = async (key: string, environment = {}) => {
      const args = ['audit', 'verify', '--export', file, '--public-key', key];
      const program = runRoomwire(args, {
        ROOMWIRE_DATA_DIR: join(folder.path, 'none'),
        ...quiet,
        ...environment,
      });
      const { code } = await program.ended;
      return { code, stdout: program.stdout(), stderr: program.stderr() };
    };
    expect(await elsewhere(publicKey)).to.include({ code: 0, stderr: '' });
    const { masterKey } = JSON.parse(await readFile(join(folder.path, 'secrets.json'), 'utf8'));
    const auditKey = Buffer.from(auditKeyOf(Buffer.from(masterKey, 'base64'))).toString('base64');
    const proven = await elsewhere(publicKey, { ROOMWIRE_AUDIT_KEY: auditKey });
    expect(proven.stdout).to.match(/is whole and signed: (\d+) events; the proofs of \1 of them are valid/);
    const other = await elsewhere(publicKey, { ROOMWIRE_AUDIT_KEY: Buffer.alloc(32, 3).toString('base64') });
    expect(other.stdout).to.match(/events are proven under the audit key \w+, which is not configured/);

    const wrong = await elsewhere(publicKeyOf(Buffer.alloc(32, 3)));
    expect([wrong.code, wrong.stderr]).to.eql([1, `${file}: it is signed with another key\n`]);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1));
    const shorter = await elsewhere(publicKey);
    expect([shorter.code, shorter.stderr]).to.eql([1, `${file}: it is not the export that was signed\n`]);
    await rm(`${file}.sig`);
    expect((await elsewhere(publicKey)).stderr).to.include('it is not signed');
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
