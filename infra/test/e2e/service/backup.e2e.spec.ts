import { appendFile, chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { documentedCommands, exportedNames, runDocumented } from '../../support/documents.js';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { runRoomwire, startProgram, stop } from '../../support/program.js';
import { readTheirWrites } from '../../support/readingTheirWrites.js';

const quiet = { ROOMWIRE_LOG_LEVEL: 'error', ROOMWIRE_REST_RATE: '0' };

describe('a backup on files', function () {
  // Each command is a separate process.
  this.timeout(120_000);
  let folder: TemporaryFolder;
  let dataDir: string;
  let backups: string;
  const [settings = '', backUp = '', restore = ''] = documentedCommands('### On files');

  beforeEach(async () => {
    folder = await temporaryFolder();
    [dataDir, backups] = [join(folder.path, 'data'), join(folder.path, 'backups')];
  });
  afterEach(() => folder.remove());

  const documented = (commands: string) =>
    runDocumented(commands, { ROOMWIRE_DATA_DIR: dataDir, BACKUPS: backups, ...quiet });
  const roomwire = async (...args: string[]) => {
    const program = runRoomwire(args, { ROOMWIRE_DATA_DIR: dataDir, ...quiet });
    const { code } = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };

  it('restores everything after the loss of the data folder, by the commands of the documents', async () => {
    expect(exportedNames(settings)).to.eql(['ROOMWIRE_DATA_DIR', 'BACKUPS']);
    // A folder's first read models are on disk a few seconds later, or at the first stop.
    await stop(await startProgram(dataDir, quiet));
    const service = await startProgram(dataDir, quiet);
    const { appId, slug } = (await service.project.post('/apps', { name: 'App', topics: ['chat'] })).body;
    const actor = (await service.project.post('/actors', { name: 'a', actorType: 'user' })).body;
    const key = (await service.project.post('/signing-keys', { name: 'k', environment: 'live' })).body;
    await service.project.post(`/apps/${appId}/rooms`, { name: 'Room' });
    // While requests write: whatever the backup has of them belongs together.
    const traffic = readTheirWrites(appId, [service.project]);
    await documented(backUp);
    expect(await traffic.stop()).to.be.greaterThan(0);
    const kept: { roomId: string }[] = (await service.project.get(`/apps/${appId}/rooms`)).body;
    await stop(service, 'SIGKILL');

    await rename(dataDir, join(folder.path, 'lost'));
    expect(await documented(restore)).to.match(
      /Restored \d+ files [^]*The read models say what the log says/,
    );

    const restored = await startProgram(dataDir, quiet);
    expect(restored.credentials).to.eql(service.credentials);
    expect((await restored.project.get(`/apps/${appId}`)).body.slug).to.equal(slug);
    const rooms: { roomId: string }[] = (await restored.project.get(`/apps/${appId}/rooms`)).body;
    expect(rooms).to.have.length.greaterThan(0);
    expect(kept.map(({ roomId }) => roomId)).to.include.members(rooms.map(({ roomId }) => roomId));
    expect((await restored.project.get(`/signing-keys/${key.signingKeyId}`)).status).to.equal(200);
    const client = await FrameClient.join(restored.socketUrl, actor.accessToken);
    client.terminate();
    expect((await restored.project.post(`/apps/${appId}/rooms`, { name: 'After' })).status).to.equal(201);
    await stop(restored);
    expect(await roomwire('audit', 'verify')).to.include({ code: 0, stderr: '' });
  });

  it('is readable by its owner only, and is never overwritten', async () => {
    await stop(await startProgram(dataDir, quiet));
    const target = join(backups, 'one');
    expect(await roomwire('backup', target)).to.include({ code: 0, stderr: '' });
    expect((await stat(target)).mode & 0o777).to.equal(0o700);
    const files = await readdir(target);
    expect(files).to.include.members(['backup.json', 'events.lmdb', 'secrets.json', 'views.lmdb']);
    for (const file of files) expect((await stat(join(target, file))).mode & 0o777, file).to.equal(0o600);
    expect(await roomwire('backup', target)).to.include({ code: 1 });
    expect((await roomwire('restore', target)).stderr).to.match(/is not empty: move it away first\n$/);
  });

  it('is refused when any part of it is changed, missing or unfinished', async () => {
    await stop(await startProgram(dataDir, quiet));
    const target = join(backups, 'one');
    await roomwire('backup', target);
    await rm(dataDir, { recursive: true });
    const refusal = async (): Promise<string> => {
      const { code, stderr } = await roomwire('restore', target);
      expect(code).to.equal(1);
      return stderr;
    };
    const events = await readFile(join(target, 'events.lmdb'));
    await appendFile(join(target, 'events.lmdb'), 'x');
    expect(await refusal()).to.match(/events\.lmdb of the backup is not as it was written\n$/);
    await rm(join(target, 'events.lmdb'));
    expect(await refusal()).to.match(/events\.lmdb of the backup is missing\n$/);
    await writeFile(join(target, 'events.lmdb'), events);
    await rename(join(target, 'backup.json'), join(backups, 'backup.json'));
    expect(await refusal()).to.match(/is no whole backup: it has no backup\.json\n$/);
    await rename(join(backups, 'backup.json'), join(target, 'backup.json'));
    expect(await roomwire('restore', target)).to.include({ code: 0, stderr: '' });
  });

  it('whose restore was interrupted prevents the start of Roomwire, and can be restored again', async () => {
    await stop(await startProgram(dataDir, quiet));
    const target = join(backups, 'one');
    await roomwire('backup', target);
    await rm(dataDir, { recursive: true });
    await mkdir(dataDir, { mode: 0o700 });
    // As it stands after the first file.
    await writeFile(join(dataDir, 'restore.unfinished'), '');
    await writeFile(join(dataDir, 'secrets.json'), '{}');
    await chmod(join(dataDir, 'secrets.json'), 0o600);
    const started = runRoomwire(['start'], { ROOMWIRE_DATA_DIR: dataDir, ROOMWIRE_PORT: '0', ...quiet });
    expect(await started.ended).to.include({ code: 1 });
    expect(started.stderr()).to.match(/A restore into .* was interrupted: run it again/);
    expect(await roomwire('restore', target)).to.include({ code: 0, stderr: '' });
    await stop(await startProgram(dataDir, quiet));
    expect(await roomwire('audit', 'verify')).to.include({ code: 0, stderr: '' });
  });

  it('is not restored over a running Roomwire, nor from an empty folder', async () => {
    const target = join(backups, 'one');
    expect((await roomwire('backup', target)).stderr).to.include('there is no event log in');
    const service = await startProgram(dataDir, quiet);
    await roomwire('backup', target);
    const { code, stderr } = await roomwire('restore', target);
    expect(code).to.equal(1);
    expect(stderr).to.match(/is in use by process \d+: stop Roomwire for it\n$/);
    await stop(service);
  });
});
