import { expect } from 'chai';
import { batchesOf, type Weighed } from '../../src/publishing/batches.js';

async function* immediately(items: readonly string[]): AsyncGenerator<Weighed> {
  for (const json of items) yield { json };
}

const batchesIn = async (items: AsyncIterable<Weighed>): Promise<string[][]> => {
  const batches: string[][] = [];
  for await (const batch of batchesOf(items)) batches.push(batch.map(({ json }) => json));
  return batches;
};

describe('batchesOf', () => {
  it('makes none of nothing', async () => {
    expect(await batchesIn(immediately([]))).to.deep.equal([]);
  });

  it('takes 100 messages at most', async () => {
    const items = Array.from({ length: 250 }, (_, index) => `${index}`);
    const batches = await batchesIn(immediately(items));
    expect(batches.map(({ length }) => length)).to.deep.equal([100, 100, 50]);
    expect(batches.flat()).to.deep.equal(items);
  });

  it('takes no more bytes than a request may have, and a larger message alone', async () => {
    const half = 'x'.repeat(524_000);
    const large = 'y'.repeat(2_000_000);
    const batches = await batchesIn(immediately([half, half, half, large, 'z']));
    expect(batches).to.deep.equal([[half, half], [half], [large], ['z']]);
  });

  it('does not wait for messages that have not come yet', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    async function* halting(): AsyncGenerator<Weighed> {
      yield { json: '1' };
      yield { json: '2' };
      await released;
      yield { json: '3' };
    }
    const batches = batchesOf(halting());
    expect((await batches.next()).value).to.deep.equal([{ json: '1' }, { json: '2' }]);
    release();
    expect((await batches.next()).value).to.deep.equal([{ json: '3' }]);
    expect((await batches.next()).done).to.equal(true);
  });

  it('rejects with the error of its source, behind what came before', async () => {
    async function* failing(): AsyncGenerator<Weighed> {
      yield { json: '1' };
      throw new Error('broken');
    }
    const batches = batchesOf(failing());
    const seen: unknown[] = [];
    const error = await (async () => {
      for await (const batch of batches) seen.push(...batch);
    })().catch((reason: unknown) => reason);
    expect((error as Error).message).to.equal('broken');
    expect(seen).to.deep.equal([{ json: '1' }]);
  });
});
