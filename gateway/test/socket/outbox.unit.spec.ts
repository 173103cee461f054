import fc from 'fast-check';
import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { FramePath, Outbox, Tick } from '../../src/socket/outbox.js';
import { OutboxMemory } from '../../src/socket/outboxMemory.js';

/** A peer that takes nothing until it is told to. */
class StubSocket {
  readonly written: Buffer[] = [];
  bufferedBytes = 0;

  write(frames: Buffer): void {
    this.written.push(frames);
    this.bufferedBytes += frames.length;
  }

  get text(): string[] {
    return this.written.map((bytes) => bytes.toString());
  }
}

const endOfTick = () => new Promise(setImmediate);
const frame = (text: string) => Buffer.from(text);

const slowReaders = new OutboxMemory({ bytes: 1e9, limits: { reached: () => undefined } });

describe('an outbox', () => {
  let socket: StubSocket;
  let overflows: number;
  let tick: Tick;

  const outboxFor = (target: StubSocket, budget = 1_000) =>
    new Outbox(target, tick, budget, () => overflows++, slowReaders);

  beforeEach(() => {
    socket = new StubSocket();
    overflows = 0;
    tick = new Tick();
  });

  it('writes once at the end of the tick, in order', async () => {
    const outbox = outboxFor(socket);
    for (const text of ['a', 'b', 'c']) outbox.push(frame(text));
    expect(socket.text).to.deep.equal([]);
    await endOfTick();
    expect(socket.text).to.deep.equal(['abc']);
    outbox.push(frame('d'));
    await endOfTick();
    expect(socket.text).to.deep.equal(['abc', 'd']);
  });

  it('shares the bytes with the outboxes that send the same', async () => {
    const other = new StubSocket();
    const both = [outboxFor(socket), outboxFor(other)];
    for (const shared of [frame('a'), frame('b')]) for (const outbox of both) outbox.push(shared);
    await endOfTick();
    expect(socket.text).to.deep.equal(['ab']);
    expect(socket.written[0]).to.equal(other.written[0]);
  });

  it('writes early when more than a mebibyte waits for the end of the tick', () => {
    const outbox = outboxFor(socket, 1e9);
    const half = Buffer.alloc(600_000);
    outbox.push(half);
    expect(socket.written).to.have.length(0);
    outbox.push(half);
    expect(socket.bufferedBytes).to.equal(1_200_000);
  });

  it('writes much to some behind little to others, and in turns of its own', async () => {
    const written: string[] = [];
    const named = (name: string, ms: number) =>
      outboxFor(
        Object.assign(new StubSocket(), {
          write() {
            written.push(name);
            const until = performance.now() + ms;
            while (performance.now() < until);
          },
        }),
        1e9,
      );
    const large = ['large 1', 'large 2', 'large 3'].map((name) => named(name, 3));
    const small = named('small', 0);
    for (const outbox of large) outbox.push(Buffer.alloc(300_000));
    small.push(frame('a'));
    while (written.length < 2) await endOfTick();
    expect(written).to.deep.equal(['small', 'large 1']);
    small.push(frame('b'));
    large[2]?.push(frame('c'));
    while (written.length < 5) await endOfTick();
    expect(written).to.deep.equal(['small', 'large 1', 'small', 'large 2', 'large 3']);
    await endOfTick();
    expect(written).to.have.length(5);
  });

  it('[WS-CONN-6] reports a reader that is over its budget, once, and sends it no more', async () => {
    const outbox = outboxFor(socket);
    outbox.push(Buffer.alloc(900));
    await endOfTick();
    outbox.push(Buffer.alloc(100));
    await endOfTick();
    expect(overflows).to.equal(0);
    outbox.push(frame('one too many'));
    expect(overflows, 'not while others are being served').to.equal(0);
    await endOfTick();
    outbox.push(frame('more'));
    await endOfTick();
    expect(overflows).to.equal(1);
    expect(socket.bufferedBytes).to.equal(1_000);
  });

  it('[WS-CONN-6] reports it also when it overflows within the tick', async () => {
    const outbox = outboxFor(socket, 1_500_000);
    for (let count = 0; count < 4; count++) outbox.push(Buffer.alloc(600_000));
    expect(overflows).to.equal(0);
    await endOfTick();
    expect(overflows).to.equal(1);
    expect(socket.bufferedBytes).to.equal(1_200_000);
  });

  it('sends what was queued when it is closed, and accepts no more', async () => {
    const outbox = outboxFor(socket);
    outbox.push(frame('last words'));
    outbox.close();
    outbox.push(frame('too late'));
    await endOfTick();
    expect(socket.text).to.deep.equal(['last words']);
  });
});

const [a, b, c] = ['a', 'bb', 'ccc'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

describe('a path of frames', () => {
  it('is the frames in their order', () => {
    const path = new FramePath().then(a).then(b).then(c).then(a);
    expect(path.bytes().toString()).to.equal('abbccca');
    expect(path.size).to.equal(7);
  });

  it('of one frame is that frame, and not a copy', () => {
    expect(new FramePath().then(a).bytes()).to.equal(a);
  });

  it('that two sockets share is assembled once', () => {
    const root = new FramePath();
    const one = root.then(a);
    const other = root.then(a);
    expect(one.then(b).bytes()).to.equal(other.then(b).bytes());
  });

  it('that branches keeps the branches separate', () => {
    const root = new FramePath();
    const shared = root.then(a);
    expect(shared.then(b).bytes().toString()).to.equal('abb');
    expect(shared.then(c).bytes().toString()).to.equal('accc');
    expect(shared.bytes().toString()).to.equal('a');
  });

  it('gives every socket exactly its own frames, in every combination', () => {
    const fanOuts = fc.array(fc.uniqueArray(fc.nat(9), { maxLength: 10 }), { maxLength: 30 });
    const property = fc.property(fanOuts, (rounds) => {
      const root = new FramePath();
      const paths = Array<FramePath>(10).fill(root);
      const expected = Array<string>(10).fill('');
      rounds.forEach((receivers, round) => {
        const frame = Buffer.from(`<${round}>`);
        for (const at of receivers) {
          paths[at] = (paths[at] as FramePath).then(frame);
          expected[at] += `<${round}>`;
        }
      });
      expect(paths.map((path) => path.bytes().toString())).to.deep.equal(expected);
    });
    fc.assert(property);
  });
});
