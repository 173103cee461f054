import fc from 'fast-check';
import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { FramePath } from '../../src/socket/framePath.js';
import { Outbox } from '../../src/socket/outbox.js';
import { OutboxMemory } from '../../src/socket/outboxMemory.js';
import { Tick } from '../../src/socket/tick.js';

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
    new Outbox(
      target,
      tick,
      budget,
      () => overflows++,
      slowReaders,
      () => 0,
    );

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

  it('writes much in parts of a quarter of a mebibyte, in order, and copies no large frame', async () => {
    const outbox = outboxFor(socket, 1e9);
    const frames = Array.from({ length: 30 }, (_, at) => Buffer.alloc(at % 3 === 0 ? 100_000 : 100, 97 + at));
    for (const one of frames) outbox.push(one);
    expect(outbox.waitingBytes).to.equal(1_002_000);
    const parts: number[] = [];
    for (let before = 0; before < 1_002_000; before = socket.bufferedBytes) {
      while (socket.bufferedBytes === before) await endOfTick();
      parts.push(socket.bufferedBytes - before);
      if (parts.length === 1) outbox.push(frame('behind it'));
    }
    expect(Math.max(...parts)).to.be.below(256 * 1024 + 100_000);
    while (socket.bufferedBytes < 1_002_009) await endOfTick();
    expect(Buffer.concat(socket.written).equals(Buffer.concat([...frames, frame('behind it')]))).to.equal(
      true,
    );
    expect(socket.written[0]).to.equal(frames[0]);
  });

  it('[WS-CONN-6] sends what waits for a later turn before it holds a reader for too slow', async () => {
    const outbox = outboxFor(socket, 1_500_000);
    const frames = Array.from({ length: 12 }, () => Buffer.alloc(250_000));
    for (const one of frames.slice(0, 5)) outbox.push(one);
    while (socket.bufferedBytes === 0) await endOfTick();
    socket.bufferedBytes = 0; // The peer has read it all.
    const write = socket.write.bind(socket);
    socket.write = (bytes) => {
      write(bytes);
      socket.bufferedBytes = 0;
    };
    for (const one of frames.slice(5)) outbox.push(one);
    for (let turn = 0; socket.written.length < 12 && turn < 1_000; turn += 1) await endOfTick();
    expect(socket.written).to.have.length(12);
    expect(overflows).to.equal(0);
  });

  it('sends the rest of much when it is closed', async () => {
    const outbox = outboxFor(socket, 1e9);
    for (let count = 0; count < 5; count += 1) outbox.push(Buffer.alloc(300_000));
    while (socket.bufferedBytes === 0) await endOfTick();
    outbox.close();
    expect(socket.bufferedBytes).to.equal(1_500_000);
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
    expect(outbox.waitingBytes, 'held for nobody').to.equal(1_200_000);
  });

  it('[WS-MEM-4] sends nothing any more when it gives way, and so nothing behind a gap', async () => {
    const outbox = outboxFor(socket, 1e9);
    for (let count = 0; count < 3; count += 1) outbox.push(Buffer.alloc(300_000));
    while (socket.bufferedBytes === 0) await endOfTick();
    outbox.push(frame('behind the rest'));
    outbox.giveWay();
    outbox.close();
    await endOfTick();
    expect(socket.bufferedBytes).to.equal(300_000);
    expect(outbox.waitingBytes).to.equal(300_000);
  });

  it('writes many small frames in parts, too', async () => {
    const outbox = outboxFor(socket, 1e9);
    for (let count = 0; count < 1_000; count += 1) outbox.push(Buffer.alloc(1_000, count % 100));
    while (socket.bufferedBytes < 1_000_000) await endOfTick();
    expect(Math.max(...socket.written.map(({ length }) => length))).to.be.at.most(256 * 1024);
    expect(Buffer.concat(socket.written)[999_999]).to.equal(99);
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

const textOf = (path: FramePath): string => Buffer.concat(path.pieces()).toString();

describe('a path of frames', () => {
  it('is the frames in their order', () => {
    const path = new FramePath().then(a).then(b).then(c).then(a);
    expect(textOf(path)).to.equal('abbccca');
    expect(path.size).to.equal(7);
  });

  it('of one frame is that frame, and not a copy', () => {
    const pieces = new FramePath().then(a).pieces();
    expect(pieces).to.have.length(1);
    expect(pieces[0]).to.equal(a);
  });

  it('that two sockets share is assembled once', () => {
    const root = new FramePath();
    const one = root.then(a);
    const other = root.then(a);
    expect(one.then(b).pieces()).to.equal(other.then(b).pieces());
  });

  it('that branches keeps the branches separate', () => {
    const root = new FramePath();
    const shared = root.then(a);
    expect(textOf(shared.then(b))).to.equal('abb');
    expect(textOf(shared.then(c))).to.equal('accc');
    expect(textOf(shared)).to.equal('a');
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
      expect(paths.map((path) => textOf(path))).to.deep.equal(expected);
    });
    fc.assert(property);
  });
});
