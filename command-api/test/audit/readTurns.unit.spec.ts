import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { Rejection } from '../../src/handling/rejections.js';
import { createReadTurns } from '../../src/audit/readTurns.js';

describe('turns of reads', () => {
  it('are one of each owner, and so many in all', async () => {
    const inTurn = createReadTurns({ atOnce: 2, mostOfOwner: 10 });
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const read = (owner: string, name: string): Promise<string> =>
      inTurn(owner, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      });
    const end = async (name: string, ...then: string[]): Promise<void> => {
      ends.get(name)?.();
      await eventually(() => begun.length === then.length);
      expect(begun.toSorted()).to.deep.equal(then.toSorted());
    };
    const reads = [read('a', 'a1'), read('a', 'a2'), read('b', 'b1'), read('c', 'c1')];
    await eventually(() => begun.length === 2);
    expect(begun).to.deep.equal(['a1', 'b1']);
    await end('b1', 'a1', 'b1', 'c1');
    await end('a1', 'a1', 'b1', 'c1', 'a2');
    await end('c1', 'a1', 'b1', 'c1', 'a2');
    await end('a2', 'a1', 'b1', 'c1', 'a2');
    expect(await Promise.all(reads)).to.deep.equal(['a1', 'a2', 'b1', 'c1']);
  });

  it('go on after a read that failed', async () => {
    const inTurn = createReadTurns({ atOnce: 1, mostOfOwner: 10 });
    const outcomes = await Promise.allSettled([
      inTurn('a', () => Promise.reject(new Error('failed'))),
      inTurn('a', async () => 1),
      inTurn('b', async () => 2),
    ]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled', 'fulfilled']);
  });

  it('are refused where too many of an owner wait, and of nobody else', async () => {
    const inTurn = createReadTurns({ atOnce: 1, mostOfOwner: 2 });
    let end = (): void => undefined;
    const running = new Promise<void>((resolve) => (end = resolve));
    const waiting = [inTurn('a', () => running), inTurn('a', async () => undefined)];
    const refused = await inTurn('a', async () => undefined).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Rejection).and.to.include({ code: 'too_many_past_reads' });
    const other = inTurn('b', async () => 'b');
    end();
    await Promise.all(waiting);
    expect(await other).to.equal('b');
    expect(await inTurn('a', async () => 'again')).to.equal('again');
  });
});
