import { openDurableEnvironment } from '../../../src/adapters/lmdb/durableEnvironment.js';

/** Writes pairs of values, several at a time, until the disk is full; prints how many pairs were acknowledged, the reason, and what a smaller pair met. */
const [path = ''] = process.argv.slice(2);
const { root, write, close } = openDurableEnvironment(path);
const values = root.openDB<Buffer, number>('values', { encoding: 'binary' });

const writePair = (pair: number, bytes: number): Promise<void> =>
  write(() => {
    void values.put(2 * pair, Buffer.alloc(bytes, pair));
    void values.put(2 * pair + 1, Buffer.alloc(bytes, pair));
  });

let acknowledged = 0;
let failure: unknown;
while (failure === undefined) {
  const pairs = Array.from({ length: 3 }, (_, at) => writePair(acknowledged + at, 100_000));
  const outcomes = await Promise.allSettled(pairs);
  failure = outcomes.find(({ status }) => status === 'rejected');
  acknowledged += outcomes.filter(({ status }) => status === 'fulfilled').length;
}
console.log(acknowledged);
console.log(String((failure as PromiseRejectedResult).reason));
console.log([...values.getKeys()].length);
values.removeSync(0);
values.removeSync(1);
console.log(await writePair(0, 10_000).then(() => 'written', String));
await close();
