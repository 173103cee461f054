import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import type { Fact, FactStream } from '../src/facts/factStream.js';
import { byPartition, coverageOf, type FactFile } from '../src/store/coverage.js';
import { openDuckDb, type DuckDb } from '../src/store/duckDb.js';
import { FactFolder } from '../src/store/factFolder.js';
import { FactFiles, quoted, selectOf } from '../src/store/factFiles.js';
import { dropOldFacts, fateOf } from '../src/store/retention.js';

const stream: FactStream = {
  name: 'messages',
  version: 1,
  columns: [
    { name: 'time', type: 'TIMESTAMP' },
    { name: 'text', type: 'VARCHAR' },
    { name: 'size', type: 'BIGINT' },
    { name: 'share', type: 'DOUBLE' },
    { name: 'isIt', type: 'BOOLEAN' },
  ],
  codec: {},
  factOf: () => undefined,
};

const nothing: FactFile = { partition: 0, first: 0, last: 0, revision: 0 };
const dayMs = 86_400_000;
const now = Date.UTC(2026, 5, 1);
const factAt = (time: number, n = 0): Fact => [
  time,
  n % 2 === 0 ? `it's "${n}"` : null,
  2 ** 40 + n,
  n / 3,
  n % 2 === 0,
];

describe('Files of facts', () => {
  let temporary: TemporaryFolder;
  let folder: FactFolder;
  let duckDb: DuckDb;
  let files: FactFiles;

  beforeEach(async () => {
    temporary = await temporaryFolder();
    folder = new FactFolder(join(temporary.path, "the user's", 'messages'));
    await folder.open();
    duckDb = await openDuckDb({ memoryMb: 256, spillFolder: join(temporary.path, 'spill') });
    files = new FactFiles(duckDb, folder, stream);
  });
  afterEach(async () => {
    duckDb.close();
    await temporary.remove();
  });

  /** Facts at every second place from `first` on, a minute apart. */
  const write = (first: number, count: number, time = now, partition = 0) =>
    files.write({
      ...{ partition, first, last: first + 2 * count - 1, revision: 0 },
      offsets: Array.from({ length: count }, (_, n) => first + 2 * n),
      facts: Array.from({ length: count }, (_, n) => factAt(time + n * 60_000, n)),
    });
  const counted = async () =>
    [...byPartition(await folder.files()).values()].flatMap((those) => coverageOf(those).counted);
  const rows = async () => duckDb.rows(`${selectOf(folder, await counted())} ORDER BY "partition", "offset"`);

  it('return what was written, over many chunks', async () => {
    await write(7, 5_000);
    const read = await rows();
    expect(read).to.have.lengthOf(5_000);
    for (const n of [0, 1, 2_048, 4_999])
      expect(read[n]).to.eql({
        ...{ partition: 0, offset: BigInt(7 + 2 * n), time: new Date(now + n * 60_000) },
        ...{
          text: n % 2 === 0 ? `it's "${n}"` : null,
          size: BigInt(2 ** 40 + n),
          share: n / 3,
          isIt: n % 2 === 0,
        },
      });
    expect(folder.nextPlace(0)).to.equal(10_007);
    expect(folder.nextPlace(1)).to.equal(undefined);
  });

  it('name their stream', async () => {
    await write(0, 1);
    const path = quoted(folder.pathOf((await counted())[0] ?? nothing), "'");
    const told = await duckDb.rows(
      `SELECT decode(key) AS k, decode(value) AS v FROM parquet_kv_metadata(${path})`,
    );
    expect(told).to.deep.include.members([
      { k: 'roomwire_stream', v: 'messages' },
      { k: 'roomwire_version', v: '1' },
    ]);
  });

  it('contain the same facts after a merge, and are kept beside the merged one', async () => {
    for (let n = 0; n < 4; n += 1) await write(20 * n, 10);
    const before = await rows();
    await files.merge(await counted());
    expect(await folder.files()).to.have.lengthOf(5);
    expect(await rows()).to.eql(before);
    await folder.removeRedundant();
    expect(await folder.files(), 'somebody may still read them').to.have.lengthOf(5);
    const merged = (await counted())[0] ?? nothing;
    await utimes(folder.pathOf(merged), 0, 0);
    await folder.removeRedundant();
    expect(await folder.files()).to.eql([{ partition: 0, first: 0, last: 79, revision: 0 }]);
    expect(await rows()).to.eql(before);
  });

  it('count an offset once where two writers overlap', async () => {
    await write(0, 10);
    await write(10, 10);
    const offsets = (await rows()).map(({ offset }) => Number(offset));
    expect(offsets).to.eql(Array.from({ length: 15 }, (_, n) => 2 * n));
  });

  it('are immutable: a file is not written again under the same name', async () => {
    await write(0, 10);
    const before = await rows();
    await write(0, 10, now + dayMs);
    expect(await rows()).to.eql(before);
    expect(await readdir(folder.path)).to.have.lengthOf(1);
  });

  it('leave no file when they cannot be written', async () => {
    const facts = [[now, 'x', 'no number', 0, true] as Fact];
    const outcome = await files.write({ ...nothing, offsets: [0], facts }).catch(String);
    expect(outcome).to.match(/SyntaxError|Error/);
    expect(await readdir(folder.path)).to.eql([]);
    await write(0, 1);
    expect(await rows()).to.have.lengthOf(1);
  });

  it('delete what killed writers have left, and nothing that is being written', async () => {
    const [old, fresh] = [folder.temporaryPath(), folder.temporaryPath()];
    for (const path of [old, fresh, join(folder.path, 'note.txt')]) await writeFile(path, '');
    await utimes(old, 0, 0);
    await folder.open();
    expect(await readdir(folder.path))
      .to.have.lengthOf(2)
      .and.not.include(old);
  });

  it('spill into a folder of their own, and delete those of databases that ended long ago', async () => {
    const spillFolder = join(temporary.path, 'spill');
    for (const name of ['old', 'fresh']) await mkdir(join(spillFolder, name), { recursive: true });
    await utimes(join(spillFolder, 'old'), 0, 0);
    const others = await Promise.all([1, 2].map(() => openDuckDb({ memoryMb: 64, spillFolder })));
    expect(await readdir(spillFolder)).to.eql(['fresh']);
    const sums = await Promise.all(
      others.map((other) =>
        other.rows(
          'SELECT count(DISTINCT x)::DOUBLE n FROM (SELECT md5(i::VARCHAR) x FROM range(1500000) t(i))',
        ),
      ),
    );
    others.forEach((other) => other.close());
    expect(sums).to.eql([[{ n: 1_500_000 }], [{ n: 1_500_000 }]]);
  });

  it('drop old facts, and keep the offset where reading continues', async () => {
    await write(0, 10, now - 50 * dayMs);
    await write(20, 10, now - 20 * dayMs);
    await write(40, 3_000, now - 32 * dayMs);
    await write(0, 10, now - 90 * dayMs, 1);
    await dropOldFacts({ duckDb, folder, files }, now - 30 * dayMs);
    const left = await rows();
    expect(left.filter(({ time }) => (time as Date).getTime() < now - 30 * dayMs)).to.eql([]);
    const kept = 10 + 3_000 - (2 * dayMs) / 60_000;
    expect(left).to.have.lengthOf(kept);
    expect([folder.nextPlace(0), folder.nextPlace(1)]).to.eql([6_040, 20]);
    expect(coverageOf((await folder.files()).filter(({ partition }) => partition === 0)).missing).to.equal(0);
    for (const name of await readdir(folder.path)) await utimes(join(folder.path, name), 0, 0);
    await folder.removeRedundant();
    expect(await rows(), 'without the files of before').to.eql(left);
    const names = await readdir(folder.path);
    await dropOldFacts({ duckDb, folder, files }, now - 30 * dayMs);
    expect(await readdir(folder.path)).to.eql(names);
  });
});

describe('The treatment of an old file', () => {
  const cutoff = 100 * dayMs;
  const span = (oldest: number, newest: number) => ({ oldest: oldest * dayMs, newest: newest * dayMs });

  it('depends on whether all of it is old, and whether other files depend on it', () => {
    expect(fateOf(span(90, 99), cutoff, true, false)).to.equal('remove');
    expect(fateOf(span(90, 99), cutoff, false, false), 'behind one that stays').to.equal('rewrite');
    expect(fateOf(span(90, 99), cutoff, true, true), 'the last').to.equal('rewrite');
    expect(fateOf(span(90, 101), cutoff, true, false)).to.equal('rewrite');
    expect(fateOf(span(99.5, 101), cutoff, true, false), 'not for a few hours').to.equal('keep');
    expect(fateOf(span(101, 102), cutoff, true, false)).to.equal('keep');
    expect(fateOf(undefined, cutoff, true, false), 'empty').to.equal('remove');
    expect(fateOf(undefined, cutoff, true, true)).to.equal('keep');
  });
});
