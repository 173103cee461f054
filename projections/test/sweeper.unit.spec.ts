import { expect } from 'chai';
import { StaleBatch } from '@roomwire/shared/ports/errors';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import type { Cascade } from '@roomwire/shared/wire/views/views';
import { eventually } from '@roomwire/testing/run/eventually';
import { Sweeper } from '../src/sweeper.js';

const cascadeOf = (deletedId: string, removed = 0): Cascade => ({
  ...{ deletedId, organizationId: 'o', owner: 'projectId', views: ['rooms'] },
  ...{ removed, createdPosition: '0000000000000001' },
});

describe('the sweeper', () => {
  let pending: Cascade[];
  let looks: number;
  let look: () => void;
  let swept: string[];
  let sweep: (cascade: Cascade) => Promise<void>;
  let ending: AbortController;
  let running: Promise<void>;
  let sweeper: Sweeper;

  const start = (takeOverAfterMs: number): void => {
    const views = {
      admitsReaders: async () => true,
      checkpoint: async () => '0000000000000009',
      find: async () => {
        looks += 1;
        look();
        return pending.slice(0, 1);
      },
      sweep: (cascade: Cascade) => sweep(cascade),
    } as unknown as ViewStore;
    sweeper = new Sweeper({ views, takeOverAfterMs });
    running = sweeper.run(ending.signal);
    running.catch(() => undefined);
  };

  beforeEach(() => {
    [pending, looks, look, swept] = [[], 0, () => undefined, []];
    ending = new AbortController();
    sweep = async ({ deletedId }) => {
      swept.push(deletedId);
      pending = pending.filter((each) => each.deletedId !== deletedId);
    };
  });
  afterEach(async () => {
    ending.abort();
    await running.catch(() => undefined);
  });

  it('sweeps what is deleted while its instance leads, the oldest first', async () => {
    start(60_000);
    await eventually(() => looks === 1);
    pending = [cascadeOf('a'), cascadeOf('b')];
    sweeper.written(true);
    await eventually(() => swept.length === 2);
    expect(swept).to.eql(['a', 'b']);
    pending = [cascadeOf('c')];
    sweeper.written(true);
    await eventually(() => swept.length === 3);
  });

  it('does not look again because of a batch in which nothing was deleted', async () => {
    start(60_000);
    await eventually(() => looks === 1);
    sweeper.written(false);
    pending = [cascadeOf('a')];
    sweeper.written(true);
    await eventually(() => swept.length === 1);
    expect(looks).to.equal(3);
  });

  it('leaves a cascade to the instance that is at work on it, and goes on with it when that stops', async () => {
    let isMoving = true;
    look = () => {
      if (isMoving) pending = [cascadeOf('a', looks)];
    };
    start(2);
    await eventually(() => looks > 20);
    expect(swept).to.eql([]);
    isMoving = false;
    await eventually(() => swept.length === 1);
  });

  it('does not sweep what another instance has finished', async () => {
    pending = [cascadeOf('a')];
    start(60_000);
    await eventually(() => looks === 1);
    pending = [];
    ending.abort();
    await running;
    expect(swept).to.eql([]);
  });

  it('rejects when another instance has taken the lead', async () => {
    pending = [cascadeOf('a')];
    sweep = () => Promise.reject(new StaleBatch('1', '2'));
    start(1);
    const error: unknown = await running.catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(StaleBatch);
  });
});
