import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { linkedThreads, type LinkedThreads } from './linkedThreads.js';

interface Taken {
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly extra: unknown;
}

const [take, add] = [0, 7];

describe('a link between threads', () => {
  let threads: LinkedThreads;
  let taken: Taken[];

  beforeEach(() => {
    threads = linkedThreads();
    taken = [];
    const { there } = threads;
    there.serveLane(take, ([number], bytes, extra) => void taken.push({ number, bytes, extra }));
    there.serveLane(add, ([, number], bytes) => number + bytes.reduce((sum, byte) => sum + byte, 0));
    there.serve('desk', { echo: (given: unknown) => given });
  });
  afterEach(() => threads.close());

  const tell = (number: number, bytes?: Uint8Array, extra?: unknown): void =>
    threads.here.tellLane(take, [number, 0, 0, 0], bytes, extra);

  it('carries all that is posted in a turn in one buffer and in order, and gives each what is its own', async () => {
    tell(1, Uint8Array.of(1, 2), 'first');
    tell(2 ** 40);
    tell(-3, new Uint8Array(), { deep: ['third'] });
    const echoed = threads.here.call('desk', 'echo', 'by name');
    tell(4, Uint8Array.of(3));
    expect(await threads.here.callLane(add, 10, Uint8Array.of(4, 5), undefined, undefined)).to.equal(19);
    expect(await echoed).to.equal('by name');
    expect(taken.map(({ number, bytes, extra }) => [number, [...bytes], extra])).to.eql([
      [1, [1, 2], 'first'],
      [2 ** 40, [], undefined],
      [-3, [], { deep: ['third'] }],
      [4, [3], undefined],
    ]);
    expect(taken[3]?.bytes.buffer).to.equal(taken[0]?.bytes.buffer);
  });

  it('leaves its bytes to whoever has posted them, and what a call is about, until it is answered', async () => {
    const { here, there } = threads;
    const [bytes, subject] = [Uint8Array.of(7), { kept: 'here' }];
    const found: { readonly id: number; readonly subject: unknown }[] = [];
    there.serveLane(add, ([id]) => there.tellLane(take, [id, 0, 0, 0]));
    here.serveLane(take, ([id]) => void found.push({ id, subject: here.subjectOf(id) }));
    await here.callLane(add, 0, bytes, undefined, subject);
    expect(found).to.have.length(1);
    expect(found[0]?.subject).to.equal(subject);
    expect(here.subjectOf(found[0]?.id ?? 0)).to.equal(undefined);
    expect([...bytes]).to.eql([7]);
  });

  it('does without what cannot be cloned, and gives all others what is theirs', async () => {
    const nothingClonable = (): void => undefined;
    tell(1, Uint8Array.of(1));
    tell(2, Uint8Array.of(2), nothingClonable);
    const refused = threads.here.callLane(add, 3, Uint8Array.of(3), nothingClonable, undefined);
    tell(4, Uint8Array.of(4));
    const outcome = await refused.catch((error: unknown) => error);
    expect(outcome).to.include({ name: 'DataCloneError' });
    await eventually(() => taken.length === 2);
    expect(taken.map(({ number, bytes }) => [number, ...bytes])).to.eql([
      [1, 1],
      [4, 4],
    ]);
  });

  it('rejects calls of both kinds where the thread has failed, and where it has ended', async () => {
    const { here, there } = threads;
    const outcome = (calling: Promise<unknown>): Promise<unknown> =>
      calling.then(
        () => 'resolved',
        (error: unknown) => (error as Error).message,
      );
    there.serveLane(add, () => Promise.reject(new Error('not today')));
    expect(await outcome(here.callLane(add, 1, Uint8Array.of(), undefined, undefined))).to.equal('not today');
    const calls = [here.call('desk', 'echo', 1), here.callLane(add, 1, Uint8Array.of(), 0, 0)];
    here.close();
    expect(await Promise.all(calls.map(outcome))).to.eql(Array(2).fill('The other thread has ended'));
  });
});
