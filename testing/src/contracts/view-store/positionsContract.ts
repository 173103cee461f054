import { expect } from 'chai';
import { EngineUnavailable, StaleBatch } from '@roomwire/shared/ports/errors';
import { at, matchingIds, putRoom, rejectionOf, room, type StoreUnderTest } from './storeUnderTest.js';

const checkpoints = (current: () => StoreUnderTest): void => {
  it('has no checkpoint while it is empty', async () => {
    expect(await current().store.checkpoint()).to.equal(undefined);
  });

  it('moves the checkpoint with each batch, also an empty one', async () => {
    const { store } = current();
    await store.apply({ changes: [putRoom('r')], position: at(3) });
    expect(await store.checkpoint()).to.equal(at(3));
    await store.apply({ changes: [], position: at(8) });
    expect(await store.checkpoint()).to.equal(at(8));
  });

  for (const [place, position] of [
    ['at', 5],
    ['before', 4],
  ] as const)
    it(`refuses a batch ${place} the checkpoint and changes nothing`, async () => {
      const { store } = current();
      await store.apply({ changes: [putRoom('r')], position: at(5) });
      const stale = store.apply({ changes: [putRoom('late')], position: at(position) });
      expect(await rejectionOf(stale)).to.be.instanceOf(StaleBatch);
      expect(await matchingIds(store, {})).to.deep.equal(['r']);
      expect(await store.checkpoint()).to.equal(at(5));
    });

  it('accepts one of two projectors with the same position', async () => {
    const { store } = current();
    const outcomes = await Promise.allSettled(
      ['r1', 'r2'].map((id) => store.apply({ changes: [putRoom(id)], position: at(1) })),
    );
    expect(outcomes.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    expect(await store.checkpoint()).to.equal(at(1));
  });
};

const originAt = (position: number) => ({ log: 'first', position: at(position), event: `event ${position}` });

const origin = (current: () => StoreUnderTest): void => {
  const move = (position: number, withOrigin = true): Promise<void> =>
    current().store.apply({
      ...{ changes: [], position: at(position) },
      ...(withOrigin && { origin: originAt(position) }),
    });

  it('is undefined while it is empty, and after batches without one', async () => {
    expect(await current().store.origin()).to.equal(undefined);
    await move(1, false);
    expect(await current().store.origin()).to.equal(undefined);
  });

  it('is that of the last batch that has one, and is kept', async () => {
    await move(1);
    await move(3);
    expect(await current().store.origin()).to.deep.equal(originAt(3));
    await move(4, false);
    expect(await current().store.origin()).to.deep.equal(originAt(3));
    const reopened = await current().reopen();
    expect(await reopened.origin()).to.deep.equal(originAt(3));
    expect(await reopened.checkpoint()).to.equal(at(4));
  });

  it('is not that of a batch that was refused', async () => {
    await move(5);
    expect(await rejectionOf(move(4))).to.be.instanceOf(StaleBatch);
    expect(await current().store.origin()).to.deep.equal(originAt(5));
  });

  it('stays when the read models are rebuilt, and goes when they are cleared', async () => {
    const { store } = current();
    await move(5);
    const rebuild = await store.rebuild();
    await rebuild.apply({ changes: [putRoom('r')], position: at(5) });
    expect(await rebuild.takeOver([])).to.equal(true);
    expect(await store.origin()).to.deep.equal(originAt(5));
    await store.clear();
    expect(await store.origin()).to.equal(undefined);
    expect(await (await current().reopen()).origin()).to.equal(undefined);
  });
};

const waiting = (current: () => StoreUnderTest): void => {
  const move = (position: number): Promise<void> =>
    current().store.apply({ changes: [], position: at(position) });

  it('reports at once that a position has been reached', async () => {
    await move(5);
    expect(await current().store.reached(at(5), 0)).to.equal(true);
    expect(await current().store.reached(at(2), 0)).to.equal(true);
  });

  it('waits for a position and sees the changes that came with it', async () => {
    const { store } = current();
    const seen = store
      .reached(at(2), 10_000)
      .then(async (reached) => ({ reached, ids: await matchingIds(store, {}) }));
    await store.apply({ changes: [putRoom('r1')], position: at(1) });
    await store.apply({ changes: [putRoom('r2')], position: at(3) });
    expect(await seen).to.deep.equal({ reached: true, ids: ['r1', 'r2'] });
  });

  it('times out after the requested time, and not earlier', async () => {
    await move(1);
    const from = performance.now();
    expect(await current().store.reached(at(2), 40)).to.equal(false);
    // Timers may come a millisecond early by this clock.
    expect(performance.now() - from).to.be.greaterThan(38);
  });

  it('answers all waiting callers, each for its own position', async () => {
    const { store } = current();
    const early = [1, 2, 2].map((position) => store.reached(at(position), 10_000));
    const late = store.reached(at(9), 50);
    await move(1);
    await move(2);
    expect(await Promise.all(early)).to.deep.equal([true, true, true]);
    expect(await late).to.equal(false);
  });
};

const clearing = (current: () => StoreUnderTest): void => {
  it('removes every document of every view and the checkpoint', async () => {
    const { store } = current();
    const project = {
      projectId: 'p',
      organizationId: 'o',
      name: 'p',
      createdAt: '',
      updatedAt: '',
      createdPosition: at(1),
    };
    await store.apply({
      changes: [putRoom('r'), { put: 'projects', id: 'p', doc: project }],
      position: at(7),
    });
    await store.clear();
    await store.admitReaders(undefined);
    expect(await store.count('rooms', {})).to.equal(0);
    expect(await store.get('projects', 'p')).to.equal(undefined);
    expect(await store.checkpoint()).to.equal(undefined);
  });

  it('starts again from the first position', async () => {
    const { store } = current();
    await store.apply({ changes: [putRoom('r'), putRoom('old')], position: at(7) });
    await store.clear();
    const again = store.reached(at(1), 10_000);
    await store.apply({ changes: [putRoom('r', { name: 'again' })], position: at(1) });
    expect(await again).to.equal(true);
    await store.admitReaders(at(1));
    expect(await matchingIds(store, { appId: 'app' })).to.deep.equal(['r']);
  });
};

const continuing = (current: () => StoreUnderTest): void => {
  it('refuses a late batch that continues from what has been cleared', async () => {
    const { store } = current();
    await store.apply({ changes: [putRoom('past')], position: at(5) });
    await store.clear();
    const late = { changes: [putRoom('late')], position: at(9), after: at(5) };
    expect(await rejectionOf(store.apply(late))).to.be.instanceOf(StaleBatch);
    await store.apply({ changes: [putRoom('again')], position: at(1) });
    expect(await rejectionOf(store.apply(late))).to.be.instanceOf(StaleBatch);
    await store.admitReaders(at(1));
    expect(await matchingIds(store, {})).to.deep.equal(['again']);
    expect(await store.checkpoint()).to.equal(at(1));
  });

  it('accepts one that continues from the checkpoint, or from before it', async () => {
    const { store } = current();
    await store.apply({ changes: [putRoom('r1')], position: at(5) });
    await store.apply({ changes: [putRoom('r2')], position: at(6), after: at(5) });
    await store.apply({ changes: [putRoom('r3')], position: at(7), after: at(4) });
    expect(await matchingIds(store, {})).to.deep.equal(['r1', 'r2', 'r3']);
  });
};

const reopening = (current: () => StoreUnderTest): void => {
  it('keeps documents and checkpoint together', async () => {
    const { store } = current();
    await store.apply({ changes: [putRoom('r1'), putRoom('r2'), putRoom('r3')], position: at(1) });
    await store.apply({ changes: [{ remove: 'rooms', id: 'r2' }], position: at(2) });
    await store.apply({ changes: [{ patch: 'rooms', id: 'r3', set: { appId: 'other' } }], position: at(3) });
    const reopened = await current().reopen();
    expect(await reopened.checkpoint()).to.equal(at(3));
    expect(await reopened.find('rooms', { sort: [['roomId', 1]] })).to.deep.equal([
      room('r1'),
      room('r3', { appId: 'other' }),
    ]);
    expect(await matchingIds(reopened, { appId: 'other' })).to.deep.equal(['r3']);
    expect(await reopened.reached(at(3), 0)).to.equal(true);
  });

  it('stays empty after it was cleared', async () => {
    await current().store.apply({ changes: [putRoom('r')], position: at(1) });
    await current().store.clear();
    const reopened = await current().reopen();
    expect(await reopened.checkpoint()).to.equal(undefined);
    await reopened.admitReaders(undefined);
    expect(await reopened.count('rooms', {})).to.equal(0);
  });

  it('continues from the checkpoint', async () => {
    await current().store.apply({ changes: [putRoom('r1')], position: at(4) });
    const reopened = await current().reopen();
    expect(await rejectionOf(reopened.apply({ changes: [], position: at(4) }))).to.be.instanceOf(StaleBatch);
    await reopened.apply({ changes: [putRoom('r2')], position: at(5) });
    expect(await matchingIds(reopened, {})).to.deep.equal(['r1', 'r2']);
  });
};

const admitting = (current: () => StoreUnderTest): void => {
  const reads = ({ store }: Pick<StoreUnderTest, 'store'>) => [
    store.get('rooms', 'r'),
    store.find('rooms', {}),
    store.count('rooms', {}),
  ];

  it('refuses reads after it was cleared, until it holds the past again', async () => {
    const { store } = current();
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    await store.clear();
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    expect(await store.admitsReaders()).to.equal(false);
    for (const read of reads({ store })) expect(await rejectionOf(read)).to.be.instanceOf(EngineUnavailable);
    await store.admitReaders(at(1));
    expect(await store.admitsReaders()).to.equal(true);
    expect(await matchingIds(store, {})).to.deep.equal(['r']);
  });

  for (const [what, admits] of [
    ['a cleared store', false],
    ['one that admits them', true],
  ] as const)
    it(`remembers of ${what} whether it admits readers`, async () => {
      const { store } = current();
      await store.clear();
      await store.apply({ changes: [putRoom('r')], position: at(1) });
      if (admits) await store.admitReaders(at(1));
      expect(await (await current().reopen()).admitsReaders()).to.equal(admits);
    });
};

const extents = (current: () => StoreUnderTest): void => {
  const fill = async (position: number): Promise<void> => {
    await current().store.apply({ changes: [putRoom('r')], position: at(position) });
    await current().store.admitReaders(at(position));
  };

  it('is none of an empty store, nor of one that admits no readers', async () => {
    const { store } = current();
    await store.clear();
    expect(await store.extent()).to.equal(undefined);
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    expect(await store.extent()).to.equal(undefined);
    await store.admitReaders(at(1));
    expect((await store.extent())?.position).to.equal(at(1));
  });

  it('goes on with each batch, in the same edition', async () => {
    const { store } = current();
    await fill(1);
    const first = await store.extent();
    await store.apply({ changes: [putRoom('s')], position: at(2) });
    expect(await store.extent()).to.deep.equal({ ...first, position: at(2) });
  });

  it('is of another edition once the documents were filled again, or rebuilt', async () => {
    const { store } = current();
    await fill(3);
    const editions = [(await store.extent())?.edition];
    await store.clear();
    await fill(3);
    editions.push((await store.extent())?.edition);
    const rebuild = await store.rebuild();
    await rebuild.apply({ changes: [putRoom('r')], position: at(3) });
    expect(await rebuild.takeOver([])).to.equal(true);
    editions.push((await store.extent())?.edition);
    expect(new Set(editions).size).to.equal(3);
    expect(editions).to.not.include(undefined);
  });
};

export const positionsContract = (current: () => StoreUnderTest): void => {
  describe('checkpoint', () => checkpoints(current));
  describe('the origin', () => origin(current));
  describe('the extent', () => extents(current));
  describe('reached', () => waiting(current));
  describe('readers', () => admitting(current));
  describe('clear', () => clearing(current));
  describe('a batch that continues', () => continuing(current));
  describe('a reopened store', () => reopening(current));
};
