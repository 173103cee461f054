import { expect } from 'chai';
import { Batches } from '../../src/publishing/batches.js';

describe('items that share the calls of a store', () => {
  interface Call {
    readonly items: readonly number[];
    readonly resolve: (outcomes: readonly string[]) => void;
    readonly reject: (error: Error) => void;
  }

  const batches = (callsAtOnce: number) => {
    const calls: Call[] = [];
    const write = (items: readonly number[]) =>
      new Promise<readonly string[]>((resolve, reject) => calls.push({ items, resolve, reject }));
    return { calls, batches: new Batches<number, string>(write, callsAtOnce) };
  };

  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

  it('are those of a turn, and have their outcomes in order', async () => {
    const { calls, batches: made } = batches(1);
    const outcomes = Promise.all(numbers(3).map((number) => made.add(number)));
    await turn();
    expect(calls.map(({ items }) => items)).to.deep.equal([[0, 1, 2]]);
    calls[0]?.resolve(['a', 'b', 'c']);
    expect(await outcomes).to.deep.equal(['a', 'b', 'c']);
  });

  it('are those that have come during a call, where there is one at a time', async () => {
    const { calls, batches: made } = batches(1);
    const first = made.add(1);
    await turn();
    const [second, third] = [made.add(2), made.add(3)];
    await turn();
    expect(calls).to.have.length(1);
    calls[0]?.resolve(['a']);
    await first;
    await turn();
    expect(calls.map(({ items }) => items)).to.deep.equal([[1], [2, 3]]);
    calls[1]?.resolve(['b', 'c']);
    expect(await Promise.all([second, third])).to.deep.equal(['b', 'c']);
  });

  it('do not wait for a call where there may be any number of them', async () => {
    const { calls, batches: made } = batches(Number.POSITIVE_INFINITY);
    const first = made.add(1);
    await turn();
    const second = made.add(2);
    await turn();
    calls[1]?.resolve(['b']);
    expect(await second).to.equal('b');
    calls[0]?.resolve(['a']);
    expect(await first).to.equal('a');
  });

  it('are at most 500', async () => {
    for (const callsAtOnce of [2, Number.POSITIVE_INFINITY]) {
      const { calls, batches: made } = batches(callsAtOnce);
      for (const number of numbers(501)) void made.add(number);
      await turn();
      expect(calls.map(({ items }) => items.length)).to.deep.equal([500, 1]);
    }
  });

  it('fail together, and those after them do not', async () => {
    const { calls, batches: made } = batches(1);
    const failed = Promise.allSettled([made.add(1), made.add(2)]);
    await turn();
    const later = made.add(3);
    calls[0]?.reject(new Error('away'));
    expect((await failed).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    await turn();
    calls[1]?.resolve(['c']);
    expect(await later).to.equal('c');
  });
});
