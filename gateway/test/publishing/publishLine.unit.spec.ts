import { expect } from 'chai';
import { PublishLine } from '../../src/publishing/publishLine.js';

describe('the line of publishes that wait', () => {
  const add = (line: PublishLine, heard: unknown[], what: string, before?: Promise<void>) =>
    line.add(
      400_000,
      before,
      async () => void heard.push(what),
      (error) => void heard.push([what, error]),
    );

  it('[WS-PUB-3] keeps the order, whichever is recorded first, and also after one that cannot be recorded', async () => {
    const line = new PublishLine();
    const heard: unknown[] = [];
    let allow = (): void => undefined;
    const slow = new Promise<void>((resolve) => (allow = resolve));
    const failing = Promise.reject(new Error('full'));
    failing.catch(() => undefined);
    const turns = [
      add(line, heard, 'a', slow),
      add(line, heard, 'b', failing),
      add(line, heard, 'c', Promise.resolve()),
      add(line, heard, 'd'),
    ];
    await new Promise(setImmediate);
    expect(heard).to.deep.equal([]);
    expect([line.isEmpty, line.isFull]).to.deep.equal([false, true]);
    allow();
    await Promise.all(turns);
    expect(heard.map((one) => (Array.isArray(one) ? (one as unknown[])[0] : one))).to.deep.equal([
      'a',
      'b',
      'c',
      'd',
    ]);
    expect(heard[1]).to.have.nested.property('[1].message', 'full');
  });

  it('is empty again after the last one', async () => {
    const line = new PublishLine();
    await add(line, [], 'a', Promise.resolve());
    expect([line.isEmpty, line.isFull]).to.deep.equal([true, false]);
    for (let n = 0; n < 5; n += 1) await add(line, [], 'b', Promise.resolve());
    expect([line.isEmpty, line.isFull]).to.deep.equal([true, false]);
  });
});
