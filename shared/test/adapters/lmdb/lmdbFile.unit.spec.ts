import { copyFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { open } from 'lmdb';
import { expect } from 'chai';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openDurableEnvironment } from '../../../src/adapters/lmdb/durableEnvironment.js';
import { isDamaged, requireWhole } from '../../../src/adapters/lmdb/lmdbFile.js';
import { DamagedFile } from '../../../src/ports/errors.js';
import { ScriptProcess } from './scriptProcess.js';

const pageBytes = 4_096;

describe('a file of LMDB', () => {
  let folder: TemporaryFolder;
  let path: string;

  beforeEach(async () => {
    folder = await temporaryFolder();
    path = join(folder.path, 'a.lmdb');
  });
  afterEach(() => folder.remove());

  /** Trees of several levels, large values, several values of a key, and free pages in between and at the end. */
  const fill = async (): Promise<void> => {
    const { root, transact, close } = openDurableEnvironment(path);
    const small = root.openDB<string, string>('small', { encoding: 'string' });
    const large = root.openDB<Buffer, number>('large', { encoding: 'binary' });
    const several = root.openDB<string, number>('several', { dupSort: true, encoding: 'ordered-binary' });
    for (let part = 0; part < 10; part += 1)
      await transact(() => {
        for (let n = 0; n < 200; n += 1) {
          void small.put(`${'key'.repeat(20)} ${(n * 7919) % 2_000} ${part}`, 'x'.repeat(n));
          void several.put(n % 5, `${'value'.repeat(10)} ${part} ${n}`);
        }
        void large.put(part, Buffer.alloc(50_000 * part, part));
      });
    await transact(() => {
      void large.remove(3);
      void large.remove(9);
    });
    await close();
  };

  const contents = async (file: string): Promise<string> => {
    const root = open({ path: file, readOnly: true, overlappingSync: false });
    const all = ['small', 'large', 'several'].map((name) => {
      const isSeveral = name === 'several';
      const options = isSeveral
        ? { dupSort: true, encoding: 'ordered-binary' as const }
        : { encoding: 'binary' as const };
      return [...root.openDB<unknown, string | number>(name, options).getRange()].map(({ key, value }) => [
        key,
        Buffer.isBuffer(value) ? `${value.length} of ${value[0]}` : value,
      ]);
    });
    await root.close();
    return JSON.stringify(all);
  };

  it('is damaged where it was cut off, at any page, unless nothing was there', async () => {
    await fill();
    const [whole, { size }] = [await contents(path), await stat(path)];
    expect(isDamaged(path)).to.equal(false);
    const copy = join(folder.path, 'copy.lmdb');
    await copyFile(path, copy);
    let needed = size;
    for (let kept = size - pageBytes; kept >= 0; kept -= pageBytes) {
      await truncate(copy, kept);
      if (isDamaged(copy)) continue;
      expect(needed - kept, 'pages in use before others').to.equal(pageBytes);
      needed = kept;
    }
    expect(size - needed, 'free pages at the end').to.be.above(3 * pageBytes);
    expect(needed).to.be.above(size / 2);
    // Nobody reads what was cut off.
    const bytes = await readFile(path);
    await writeFile(copy, Buffer.concat([bytes.subarray(0, needed), Buffer.alloc(size - needed, 0xff)]));
    expect(await contents(copy)).to.equal(whole);
  });

  it('is damaged where it was cut off within a page', async () => {
    await fill();
    const { size } = await stat(path);
    for (const kept of [size / 2 + 100, pageBytes + 100, pageBytes, 100, 1, 0]) {
      await truncate(path, kept);
      expect(() => requireWhole(path), `${kept}`).to.throw(DamagedFile, path);
    }
  });

  it('is damaged where it is no file of LMDB at all', async () => {
    await writeFile(path, Buffer.alloc(3 * pageBytes));
    expect(() => requireWhole(path)).to.throw(/a\.lmdb is damaged: it does not begin as a file of LMDB/);
  });

  it('need not be there', () => {
    requireWhole(path);
    expect(isDamaged(path)).to.equal(false);
  });

  it('is whole while another process writes it, and however often that is killed', async () => {
    const script = new URL('./writingProcess.js', import.meta.url);
    for (let round = 0; round < 6; round += 1) {
      const writing = ScriptProcess.run(script, path);
      await writing.hasPrinted(1);
      const before = writing.lines.length;
      while (writing.lines.length < before + 2) {
        requireWhole(path);
        await nextTurn();
      }
      await writing.kill();
      requireWhole(path);
    }
  }).timeout(60_000);
});
