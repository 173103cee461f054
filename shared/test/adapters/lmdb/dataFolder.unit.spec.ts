import { mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDataFolder } from '../../../src/adapters/lmdb/dataFolder.js';
import { DataFolderInUse } from '../../../src/ports/errors.js';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { namesOnDisk } from './folderSyncs.js';
import { ScriptProcess } from './scriptProcess.js';

const owningProcess = new URL('./owningProcess.js', import.meta.url);

const expectInUse = async (path: string, processId: number): Promise<void> => {
  const error = await rejectionOf(openDataFolder(path));
  expect(error).to.be.instanceOf(DataFolderInUse);
  expect((error as Error).message).to.match(new RegExp(`\\b${processId}$`));
};

describe('data folder', () => {
  let temporary: TemporaryFolder;
  const processes: ScriptProcess[] = [];

  beforeEach(async () => {
    temporary = await temporaryFolder();
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.kill()));
    await temporary.remove();
  });

  const startOwning = (path: string): ScriptProcess => {
    const started = ScriptProcess.run(owningProcess, path);
    processes.push(started);
    return started;
  };

  it('is created where it is missing, without access for other users', async () => {
    const folder = await openDataFolder(join(temporary.path, 'a', 'data'));
    expect((await stat(folder.path)).mode & 0o777).to.equal(0o700);
    expect(folder.file('events.lmdb')).to.equal(join(temporary.path, 'a', 'data', 'events.lmdb'));
    await folder.close();
  });

  it('has its name on the disk, with those of the folders around it that were made', async () => {
    const named = await namesOnDisk(async () => {
      await (await openDataFolder(join(temporary.path, 'a', 'data'))).close();
    });
    expect(named.get(temporary.path)).to.include('a');
    expect(named.get(join(temporary.path, 'a'))).to.include('data');
  });

  it('is used unchanged where it exists', async () => {
    const path = join(temporary.path, 'data');
    await mkdir(path, { mode: 0o755 });
    await symlink(path, join(temporary.path, 'link'));
    const folder = await openDataFolder(join(temporary.path, 'link'));
    expect(folder.path).to.equal(path);
    expect((await stat(path)).mode & 0o777).to.equal(0o755);
    await folder.close();
  });

  it('reports at once that it cannot be created', async () => {
    const file = join(temporary.path, 'file');
    await writeFile(file, '');
    for (const [path, code] of [
      [file, 'EEXIST'],
      [join(file, 'data'), 'ENOTDIR'],
      ['/proc/roomwire', 'ENOENT'],
      ['/proc/roomwire/data', 'ENOENT'],
    ] as const)
      expect(await rejectionOf(openDataFolder(path)), path).to.include({ code });
  });

  it('refuses a second owner in the same process, by any path', async () => {
    const path = join(temporary.path, 'data');
    const folder = await openDataFolder(path);
    await symlink(path, join(temporary.path, 'link'));
    await expectInUse(path, process.pid);
    await expectInUse(join(temporary.path, 'link'), process.pid);
    await folder.close();
  });

  it('is opened by one of two concurrent callers', async () => {
    const asked = await Promise.allSettled([openDataFolder(temporary.path), openDataFolder(temporary.path)]);
    expect(asked.map(({ status }) => status)).to.have.members(['fulfilled', 'rejected']);
    for (const outcome of asked) if (outcome.status === 'fulfilled') await outcome.value.close();
  });

  it('is free again once it has been closed, also repeatedly', async () => {
    const folder = await openDataFolder(temporary.path);
    await Promise.all([folder.close(), folder.close()]);
    await (await openDataFolder(temporary.path)).close();
  });

  it('is not locked by a failed attempt', async () => {
    const lock = join(temporary.path, 'owner.lmdb');
    await mkdir(lock);
    expect(await rejectionOf(openDataFolder(temporary.path))).not.to.be.instanceOf(DataFolderInUse);
    await rm(lock, { recursive: true });
    await (await openDataFolder(temporary.path)).close();
  });

  it('opens after a power failure without a clean-up', async () => {
    for (const remains of [Buffer.alloc(0), Buffer.alloc(8192), Buffer.from('not the whole of it')]) {
      await writeFile(join(temporary.path, 'owner.lmdb'), remains);
      await writeFile(join(temporary.path, 'owner.lmdb-lock'), remains);
      await (await openDataFolder(temporary.path)).close();
    }
  });

  it('refuses another process, and is free as soon as its owner has been killed', async () => {
    for (let round = 0; round < 2; round += 1) {
      const owner = startOwning(temporary.path);
      await owner.hasPrinted(1);
      expect(owner.lines).to.deep.equal(['owner']);
      await expectInUse(temporary.path, owner.id);
      await owner.kill();
      const folder = await openDataFolder(temporary.path);
      const late = startOwning(temporary.path);
      await late.hasPrinted(1);
      expect(late.lines).to.deep.equal(['refused']);
      await folder.close();
    }
  });

  it('is opened by one of several processes that start together', async () => {
    const rivals = Array.from({ length: 4 }, () => startOwning(temporary.path));
    await Promise.all(rivals.map((rival) => rival.hasPrinted(1)));
    const answers = rivals.flatMap(({ lines }) => lines);
    expect(answers).to.have.members(['owner', 'refused', 'refused', 'refused']);
  });
});
