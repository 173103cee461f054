import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { Outbox } from '../../src/socket/outbox.js';
import { OutboxMemory } from '../../src/socket/outboxMemory.js';
import { Tick, writtenInATurn } from '../../src/socket/tick.js';

const turn = () => new Promise(setImmediate);
const memory = new OutboxMemory({ bytes: 1e9, limits: { reached: () => undefined } });

/** Sockets that take everything at once. */
class Sockets {
  /** In this turn. */
  writes = 0;
  private readonly tick = new Tick();

  open(): { readonly outbox: Outbox; readonly got: string[] } {
    const got: string[] = [];
    const write = (bytes: Buffer): void => {
      got.push(bytes.toString());
      this.writes += 1;
    };
    const onOverflow = (): void => undefined;
    const outbox = new Outbox({ write, bufferedBytes: 0 }, this.tick, 1e6, onOverflow, memory, () => 0);
    return { outbox, got };
  }

  async turn(): Promise<number> {
    this.writes = 0;
    await turn();
    return this.writes;
  }
}

describe('frames that may wait, since very many sockets get them', () => {
  const count = 10 * writtenInATurn;
  let sockets: Sockets;
  let many: ReturnType<Sockets['open']>[];

  beforeEach(() => {
    sockets = new Sockets();
    many = Array.from({ length: count }, () => sockets.open());
  });

  const pushToAll = (text: string): void => {
    const frame = Buffer.from(text);
    for (const { outbox } of many) outbox.pushLater(frame);
  };

  const untilWritten = async (): Promise<readonly number[]> => {
    const writes: number[] = [];
    while (many.some(({ outbox }) => outbox.waitingBytes > 0)) writes.push(await sockets.turn());
    return writes;
  };

  it('are written to a part of the sockets in a turn, and others in the turn in which they are pushed', async () => {
    const other = sockets.open();
    pushToAll('news');
    for (let heartbeats = 1; many.some(({ got }) => got.length === 0); heartbeats += 1) {
      other.outbox.push(Buffer.from('heartbeat'));
      expect(await sockets.turn()).to.be.at.most(writtenInATurn + 1);
      expect(other.got).to.have.length(heartbeats);
    }
    for (const { got } of many) expect(got).to.deep.equal(['news']);
  });

  it('are written together with what follows, in order', async () => {
    pushToAll('1');
    pushToAll('2');
    while (many[0]?.got.length === 0) await sockets.turn();
    pushToAll('3');
    await untilWritten();
    expect(many[0]?.got).to.deep.equal(['12', '3']);
    expect(many.at(-1)?.got).to.deep.equal(['123']);
  });

  it('do not wait where something else follows that may not, and stay in front of it', async () => {
    pushToAll('news');
    const last = many.at(-1) as (typeof many)[number];
    last.outbox.push(Buffer.from(' heartbeat'));
    await sockets.turn();
    expect(last.got).to.deep.equal(['news heartbeat']);
    pushToAll(' more');
    last.outbox.push(Buffer.from(' heartbeat'));
    await sockets.turn();
    expect(last.got).to.deep.equal(['news heartbeat', ' more heartbeat']);
    await untilWritten();
    expect(last.got).to.have.length(2);
  });

  it('pass over sockets that have been written to since', async () => {
    pushToAll('news');
    const last = many.at(-1) as (typeof many)[number];
    for (const { outbox } of many) if (outbox !== last.outbox) outbox.push(Buffer.from('!'));
    await sockets.turn();
    expect(last.got).to.deep.equal([]);
    const writes = await untilWritten();
    expect(writes.filter((one) => one > 0)).to.deep.equal([1]);
  });

  it('are written when their socket closes', () => {
    pushToAll('news');
    for (const { outbox } of many) outbox.close();
    for (const { got } of many) expect(got).to.deep.equal(['news']);
  });
});
