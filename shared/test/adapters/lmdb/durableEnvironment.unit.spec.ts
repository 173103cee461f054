import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  openDurableEnvironment,
  type DurableEnvironment,
} from '../../../src/adapters/lmdb/durableEnvironment.js';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
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

  it('is created in an empty file', async () => {
    const path = join(temporary.path, 'empty.lmdb');
    await writeFile(path, '');
    await openDurableEnvironment(path).close();
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
});
