import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { Outbox, Tick } from '../../src/socket/outbox.js';

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

describe('an outbox', () => {
  let socket: StubSocket;
  let overflows: number;
  let tick: Tick;

  const outboxFor = (target: StubSocket, budget = 1_000) =>
    new Outbox(target, tick, budget, () => overflows++);

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

  it('does not let more than a mebibyte wait for the end of the tick', () => {
    const outbox = outboxFor(socket, 1e9);
    const half = Buffer.alloc(600_000);
    outbox.push(half);
    expect(socket.written).to.have.length(0);
    outbox.push(half);
    expect(socket.bufferedBytes).to.equal(1_200_000);
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

  it('lets what was queued go when it is closed, and takes no more', async () => {
    const outbox = outboxFor(socket);
    outbox.push(frame('last words'));
    outbox.close();
    outbox.push(frame('too late'));
    await endOfTick();
    expect(socket.text).to.deep.equal(['last words']);
  });
});
