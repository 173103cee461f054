import { expect } from 'chai';
import { HistoryTurns } from '../../src/history/turns.js';

const laterTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the turns of those that read the record', () => {
  it('[WS-HIST-10] are so many at once, and go round the projects', async () => {
    const turns = new HistoryTurns(2);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const read = (name: string): Promise<void> =>
      turns.take(name.charAt(0), () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const reads = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(read);
    expect(begun).to.deep.equal(['a1', 'a2']);
    expect(turns.waits).to.equal(5);
    for (let n = 0; n < reads.length; n++) {
      while (ends.length === 0) await laterTurn();
      ends.shift()?.();
    }
    await Promise.all(reads);
    expect(begun).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']);
    expect(turns.waits).to.equal(0);
  });

  it('[WS-HIST-10] leave room for others in every turn of the event loop, also where no read waits for anything', async () => {
    const turns = new HistoryTurns(2);
    let begun = 0;
    const reads = Array.from({ length: 6 }, () => turns.take('a', async () => void (begun += 1)));
    const seen: number[] = [];
    while (begun < reads.length) {
      await laterTurn();
      seen.push(begun);
    }
    expect(
      seen.every((count, turn) => count - (seen[turn - 1] ?? 0) <= 2),
      seen.join(),
    ).to.equal(true);
    await Promise.all(reads);
  });

  it('pass to the next one when a read fails, and the reader learns why', async () => {
    const turns = new HistoryTurns(1);
    const failing = turns.take('a', () => Promise.reject(new Error('gone')));
    const next = turns.take('a', async () => 'read');
    expect(await failing.catch((error: Error) => error.message)).to.equal('gone');
    expect(await next).to.equal('read');
    expect(await turns.take('b', async () => 'too')).to.equal('too');
  });
});
