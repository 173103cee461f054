import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { linkedThreads, type LinkedThreads } from './linkedThreads.js';

interface Taken {
  readonly number: unknown;
  readonly bytes: Uint8Array | undefined;
}

describe('a link between threads', () => {
  let threads: LinkedThreads;
  let taken: Taken[];

  beforeEach(() => {
    threads = linkedThreads();
    taken = [];
    threads.there.serve('desk', {
      take: (number: unknown, bytes?: Uint8Array) => void taken.push({ number, bytes }),
      add: (number: number, bytes: Uint8Array) => number + bytes.reduce((sum, byte) => sum + byte, 0),
    });
  });
  afterEach(() => threads.close());

  it('carries the bytes of all that is posted in a turn in one buffer, and gives each its own', async () => {
    const { here } = threads;
    here.tellWith(Uint8Array.of(1, 2), 'desk', 'take', 1);
    here.tell('desk', 'take', 2);
    here.tellWith(new Uint8Array(), 'desk', 'take', 3);
    here.tellWith(Uint8Array.of(3), 'desk', 'take', 4);
    expect(await here.callWith(Uint8Array.of(4, 5), 'desk', 'add', 10)).to.equal(19);
    expect(taken.map(({ number, bytes }) => [number, bytes && [...bytes]])).to.eql([
      [1, [1, 2]],
      [2, undefined],
      [3, []],
      [4, [3]],
    ]);
    expect(taken[3]?.bytes?.buffer).to.equal(taken[0]?.bytes?.buffer);
  });

  it('leaves its bytes to whoever has posted them', async () => {
    const bytes = Uint8Array.of(7);
    await threads.here.callWith(bytes, 'desk', 'add', 0);
    expect([...bytes]).to.eql([7]);
  });

  it('does without what cannot be cloned, and gives all others what is theirs', async () => {
    const { here } = threads;
    const nothingClonable = (): void => undefined;
    here.tellWith(Uint8Array.of(1), 'desk', 'take', 1);
    here.tellWith(Uint8Array.of(2), 'desk', 'take', nothingClonable);
    const refused = here.callWith(Uint8Array.of(3), 'desk', 'add', nothingClonable);
    here.tellWith(Uint8Array.of(4), 'desk', 'take', 4);
    const outcome = await refused.catch((error: unknown) => error);
    expect(outcome).to.include({ name: 'DataCloneError' });
    await eventually(() => taken.length === 2);
    expect(taken.map(({ number, bytes }) => [number, ...(bytes ?? [])])).to.eql([
      [1, 1],
      [4, 4],
    ]);
  });
});
