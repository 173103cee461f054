import { expect } from 'chai';
import { EntryCache } from '../../src/access/entryCache.js';

interface Record {
  readonly id: string;
  readonly projectId: string;
  readonly version: number;
}

describe('the cache of records', () => {
  const projectId = 'p';
  let cache: EntryCache<Record>;
  let reads: ((found: Record | undefined) => void)[];

  const read = () => new Promise<Record | undefined>((resolve) => reads.push(resolve));
  const answer = async (found: Record | undefined) => {
    reads.shift()?.(found);
    await new Promise(setImmediate);
  };

  beforeEach(() => {
    cache = new EntryCache<Record>({ idOf: ({ id }) => id, maxEntries: 2 });
    reads = [];
  });

  it('caches found records', async () => {
    const loading = cache.load('slug', read);
    await Promise.resolve();
    await answer({ id: '1', projectId, version: 1 });
    expect((await loading)?.value).to.deep.equal({ id: '1', projectId, version: 1 });
    expect(cache.peek('slug')).to.equal(await loading);
  });

  it('shares one read among concurrent callers', async () => {
    const loading = [cache.load('slug', read), cache.load('slug', read), cache.load('slug', read)];
    await Promise.resolve();
    expect(reads).to.have.length(1);
    await answer({ id: '1', projectId, version: 1 });
    expect(new Set(await Promise.all(loading)).size).to.equal(1);
  });

  it('[WS-TOPIC-2] does not cache absence, nor return it to callers that asked after the read began', async () => {
    const early = cache.load('slug', read);
    await Promise.resolve();
    const late = cache.load('slug', read);
    await answer(undefined);
    expect(await early).to.equal(undefined);
    await answer({ id: '1', projectId, version: 1 });
    expect((await late)?.value.version).to.equal(1);
  });

  it('tells when an entry made room for another', async () => {
    let evicted = 0;
    const full = new EntryCache<Record>({ idOf: ({ id }) => id, maxEntries: 2, onEvicted: () => evicted++ });
    for (const id of ['1', '2', '2', '3'])
      await full.load(id, () => Promise.resolve({ id, projectId, version: 1 }));
    expect([evicted, full.peek('1')]).to.deep.equal([1, undefined]);
  });

  it('[WS-TOPIC-4] an entry that was dropped is no longer current for its holders', async () => {
    const loading = cache.load('slug', read);
    await Promise.resolve();
    await answer({ id: '1', projectId, version: 1 });
    const entry = await loading;
    cache.drop('1');
    expect(entry?.isCurrent).to.equal(false);
    expect(cache.peek('slug')).to.equal(undefined);
  });

  it('[WS-TOPIC-4] a read that began before a drop is made again', async () => {
    const loading = cache.load('slug', read);
    await Promise.resolve();
    cache.drop('1');
    await answer({ id: '1', projectId, version: 1 });
    await answer({ id: '1', projectId, version: 2 });
    expect((await loading)?.value.version).to.equal(2);
    expect(cache.peek('slug')?.isCurrent).to.equal(true);
  });

  it('[WS-TOPIC-4] an entry that keeps changing is used once and not cached', async () => {
    const loading = cache.load('slug', read);
    for (const version of [1, 2, 3]) {
      await Promise.resolve();
      cache.drop('1');
      await answer({ id: '1', projectId, version });
    }
    expect(await loading).to.deep.equal({ value: { id: '1', projectId, version: 3 }, isCurrent: false });
    expect(cache.peek('slug')).to.equal(undefined);
  });

  it('a read is cached while others change', async () => {
    const loading = cache.load('slug', read);
    await Promise.resolve();
    cache.drop('2');
    cache.dropProject('q');
    await answer({ id: '1', projectId, version: 1 });
    expect(reads).to.deep.equal([]);
    expect(cache.peek('slug')).to.equal(await loading);
  });

  it('[WS-TOPIC-4] drops the records of a project, and its reads in flight are made again', async () => {
    const other = await cache.load('other', () => Promise.resolve({ id: '2', projectId: 'q', version: 1 }));
    const cached = await cache.load('cached', () => Promise.resolve({ id: '3', projectId, version: 1 }));
    const loading = cache.load('slug', read);
    await Promise.resolve();
    cache.dropProject(projectId);
    expect([cached?.isCurrent, other?.isCurrent]).to.deep.equal([false, true]);
    await answer({ id: '1', projectId, version: 1 });
    await answer({ id: '1', projectId, version: 2 });
    expect((await loading)?.value.version).to.equal(2);
  });

  it('drops everything, and every read in flight is made again', async () => {
    const cached = await cache.load('cached', () => Promise.resolve({ id: '3', projectId, version: 1 }));
    const loading = cache.load('slug', read);
    await Promise.resolve();
    cache.dropAll();
    expect(cached?.isCurrent).to.equal(false);
    await answer({ id: '1', projectId, version: 1 });
    await answer({ id: '1', projectId, version: 2 });
    expect((await loading)?.value.version).to.equal(2);
  });

  it('[WS-TOPIC-4] who asks after a change gets nothing that was read before it', async () => {
    const early = cache.load('slug', read);
    await Promise.resolve();
    for (const version of [1, 2]) {
      cache.drop('1');
      await answer({ id: '1', projectId, version });
    }
    cache.drop('1');
    const late = cache.load('slug', read);
    await answer({ id: '1', projectId, version: 3 });
    await answer({ id: '1', projectId, version: 4 });
    expect([(await early)?.value.version, (await late)?.value.version]).to.deep.equal([3, 4]);
  });

  it('a failed read can be repeated', async () => {
    const failure = await cache
      .load('slug', () => Promise.reject(new Error('away')))
      .catch((error: Error) => error);
    expect(failure).to.be.an('error');
    const loading = cache.load('slug', read);
    await Promise.resolve();
    await answer({ id: '1', projectId, version: 1 });
    expect((await loading)?.value.version).to.equal(1);
  });

  it('is bounded, and evicted entries are no longer current', async () => {
    const load = (id: string) => cache.load(id, async () => ({ id, projectId, version: 1 }));
    const oldest = await load('1');
    await load('2');
    await load('3');
    expect(cache.peek('1')).to.equal(undefined);
    expect(oldest?.isCurrent).to.equal(false);
    expect(cache.peek('3')?.isCurrent).to.equal(true);
  });
});
