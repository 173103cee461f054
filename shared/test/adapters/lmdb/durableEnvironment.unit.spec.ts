import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  openDurableEnvironment,
  type DurableEnvironment,
} from '../../../src/adapters/lmdb/durableEnvironment.js';
import { DamagedFile } from '../../../src/ports/errors.js';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { namesOnDisk } from './folderSyncs.js';
import { ScriptProcess } from './scriptProcess.js';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';

describe('durable environment', () => {
  let temporary: TemporaryFolder;
  let environment: DurableEnvironment;

  beforeEach(async () => {
    temporary = await temporaryFolder();
    environment = openDurableEnvironment(join(temporary.path, 'a.lmdb'));
  });
  afterEach(async () => {
    await environment.close();
    await temporary.remove();
  });

  it('returns the result of the work once others can read what it wrote', async () => {
    const answer = await environment.transact(() => {
      environment.root.putSync('a', 1);
      return 'answer';
    });
    expect(answer).to.equal('answer');
    expect(environment.root.get('a')).to.equal(1);
  });

  it('refuses a damaged file', async () => {
    const path = join(temporary.path, 'damaged.lmdb');
    await writeFile(path, Buffer.alloc(8192));
    expect(() => openDurableEnvironment(path)).to.throw(/damaged\.lmdb is damaged/);
  });

  it('is created whole or not at all, so that an empty file is a damaged one', async () => {
    const path = join(temporary.path, 'b.lmdb');
    // Left by a process that was killed meanwhile.
    await writeFile(`${path}.draft`, '');
    await openDurableEnvironment(path).close();
    expect(await readdir(temporary.path)).to.have.members([
      ...['a.lmdb', 'a.lmdb-lock', 'b.lmdb', 'b.lmdb-lock'],
    ]);
    await writeFile(path, '');
    expect(() => openDurableEnvironment(path)).to.throw(DamagedFile, /b\.lmdb is damaged: it is empty/);
  });

  it('has its name on the disk before anything is written to it', async () => {
    const path = join(temporary.path, 'b.lmdb');
    const named = await namesOnDisk(() => openDurableEnvironment(path).close());
    expect(named.get(temporary.path)).to.include('b.lmdb');
  });

  it('discards work that throws half-way, and keeps all work around it', async () => {
    const failure = new Error('Halfway');
    const put = (key: string) => environment.transact(() => environment.root.putSync(key, 1));
    const failing = environment.transact(() => {
      environment.root.putSync('b', 1);
      throw failure;
    });
    const [, error] = await Promise.all([put('a'), rejectionOf(failing), put('c')]);
    expect(error).to.equal(failure);
    expect([...environment.root.getKeys()]).to.deep.equal(['a', 'c']);
  });

  it('writes in the order of the calls, beside transactions, and shares commits', async () => {
    const { root } = environment;
    const writes = Array.from({ length: 200 }, (_, n) =>
      n % 10 === 9
        ? environment.transact(() => root.putSync('last', n))
        : environment.write(() => {
            void root.put(n, 'written');
            void root.put('last', n);
            void root.remove(n - 1);
          }),
    );
    await Promise.all(writes);
    expect(root.get('last')).to.equal(199);
    const kept = Array.from({ length: 20 }, (_, ten) => 10 * ten + 8);
    expect([...root.getKeys()].filter((key) => typeof key === 'number')).to.deep.equal(kept);
  });

  it('writes all of a call or nothing where the disk is full, tells why, and continues when there is space', async function () {
    if (process.platform === 'win32') return this.skip();
    const script = new URL('fillingProcess.js', import.meta.url);
    const filling = ScriptProcess.runWithFileLimit(4000, script, join(temporary.path, 'full.lmdb'));
    expect(await filling.ended()).to.equal(0);
    const [acknowledged, reason, readable, after] = filling.lines;
    expect(Number(acknowledged)).to.be.greaterThan(2);
    expect(reason).to.match(/^Error: (?!Commit failed)/);
    expect(Number(readable)).to.equal(2 * Number(acknowledged));
    expect(after).to.equal('written');
  });
});
