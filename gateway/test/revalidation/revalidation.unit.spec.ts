import { expect } from 'chai';
import { shardOf } from '@roomwire/shared/domain/shards';
import type { ViewExtent } from '@roomwire/shared/ports/viewStore';
import { viewsVersion } from '@roomwire/shared/wire/views/views';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { Revalidation } from '../../src/revalidation/revalidation.js';

const ids = Array.from({ length: 500 }, (_, index) => `actor-${index}`);

/** What the projector was about to say. */
const said = () => new Promise((resolve) => setImmediate(resolve));

/** Read models, a projector that works, and who is connected. */
const world = async (periodMs: number) => {
  const views = { extent: { edition: '0/a', position: '1' } as ViewExtent | undefined, isAway: false };
  const read: string[][] = [];
  const metrics = { revalidated: { proof: 0, reading: 0 } };
  const state = { isWhole: true, isSilent: false };
  const revalidation: Revalidation = new Revalidation({
    views: {
      async extent() {
        if (views.isAway) throw new Error('away');
        if (!state.isSilent) setImmediate(quiet);
        return views.extent;
      },
    },
    clock: new ManualClock(),
    rechecks: {
      async everythingOf(isMeant) {
        const meant = ids.filter(isMeant);
        read.push(meant);
        return { actors: meant.length, isWhole: state.isWhole };
      },
    },
    roster: { countOfActors: (isMeant) => ids.filter((id) => isMeant(shardOf(id))).length },
    metrics,
    periodMs,
  });
  const quiet = () => {
    const upTo = views.extent?.position ?? '';
    revalidation.coverage.said({ viewsVersion, after: upTo, upTo, events: 0 });
  };
  quiet();
  await revalidation.start();
  await said();
  const round = async () => {
    for (let ms = 0; ms < periodMs; ms += revalidation.turnMs) {
      await revalidation.turn();
      await said();
    }
  };
  return { views, read, metrics, state, revalidation, round };
};

describe('the turns of revalidation', () => {
  it('[WS-AUTH-7] reach everybody once in a period, a part in each', async () => {
    const { revalidation, read, state, round } = await world(600_000);
    state.isSilent = true;
    // A projector that says nothing is waited for in each turn.
    revalidation.coverage.restart();
    await round();
    expect(revalidation.turnMs).to.equal(600_000 / 64);
    expect(read).to.have.length(64);
    expect(read.flat()).to.have.members(ids).and.have.length(ids.length);
    expect(Math.max(...read.map((part) => part.length))).to.be.below(30);
  });

  it('are one in a short period', async () => {
    const { revalidation, read, round } = await world(20);
    revalidation.coverage.restart();
    await round();
    expect(read.map((part) => part.length)).to.deep.equal([ids.length]);
  });

  it('read nothing for those who have missed nothing, and count them', async () => {
    const { read, metrics, round } = await world(600_000);
    await round();
    await round();
    expect([read, metrics.revalidated]).to.deep.equal([[], { proof: 2 * ids.length, reading: 0 }]);
  });

  it('read what lies behind a gap once, and then nothing', async () => {
    const { views, read, metrics, round } = await world(30_000);
    await round();
    // A batch of which nothing was said.
    views.extent = { edition: '0/a', position: '9' };
    await round();
    expect(read.flat()).to.have.members(ids);
    const { proof } = metrics.revalidated;
    await round();
    expect(metrics.revalidated).to.deep.equal({ proof: proof + ids.length, reading: ids.length });
  });

  it('read everything where the documents were replaced, be it at the same position', async () => {
    const { views, read, round } = await world(30_000);
    views.extent = { edition: '1/a', position: '1' };
    await round();
    expect(read.flat()).to.have.members(ids);
    read.length = 0;
    await round();
    expect(read).to.deep.equal([]);
  });

  it('read again in the next period where something could not be read', async () => {
    const { views, state, read, round } = await world(30_000);
    views.isAway = true;
    state.isWhole = false;
    await round();
    expect(read.flat()).to.have.members(ids);
    read.length = 0;
    [views.isAway, state.isWhole] = [false, true];
    // What was known before it still is: nothing has happened since.
    await round();
    expect(read).to.deep.equal([]);
    views.extent = undefined;
    await round();
    expect(read.flat()).to.have.members(ids);
  });

  it('[WS-AUTH-7] read where the projector stands still, though nothing seems to be missing', async () => {
    const { state, read, round } = await world(40);
    state.isSilent = true;
    await round();
    expect(read.flat()).to.have.members(ids);
  });

  it('that come while one is taken follow it, and none is left out', async () => {
    const { revalidation, read, state } = await world(30_000);
    revalidation.coverage.restart();
    state.isSilent = true;
    await Promise.all([revalidation.turn(), revalidation.turn()]);
    expect(read.flat()).to.have.members(ids);
  });
});
