import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { Outbox } from '../../src/socket/outbox.js';
import { OutboxMemory } from '../../src/socket/outboxMemory.js';
import { Tick } from '../../src/socket/tick.js';

/** A peer that takes nothing until it is told to. */
class SlowPeer {
  readonly outbox: Outbox;
  bufferedBytes = 0;
  isClosed = false;

  constructor(projectId: string, tick: Tick, memory: OutboxMemory) {
    this.outbox = new Outbox(
      this,
      tick,
      8_000_000,
      () => this.closed(),
      memory,
      () => 0,
    );
    this.outbox.projectId = projectId;
  }

  write(frames: Buffer): void {
    this.bufferedBytes += frames.length;
  }

  private closed(): void {
    this.isClosed = true;
    this.outbox.close();
  }
}

const endOfTick = async (): Promise<void> => {
  for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate);
};

describe('the memory of slow readers', () => {
  let memory: OutboxMemory;
  let tick: Tick;
  let reached: unknown[];

  beforeEach(() => {
    reached = [];
    const limits = { reached: (_limit: string, fields: unknown) => reached.push(fields) };
    memory = new OutboxMemory({ bytes: 1_000_000, limits });
    tick = new Tick();
  });

  const peersOf = (projectId: string, count: number): SlowPeer[] =>
    Array.from({ length: count }, () => new SlowPeer(projectId, tick, memory));
  const pushOwn = (peer: SlowPeer, bytes: number): void => peer.outbox.push(Buffer.alloc(bytes));
  const open = (peers: readonly SlowPeer[]) => peers.filter(({ isClosed }) => !isClosed);

  it('[WS-MEM-4] closes the slowest readers of the project that holds the most, and nobody else', async () => {
    const loud = peersOf('loud', 20);
    const [quiet] = peersOf('quiet', 1) as [SlowPeer];
    pushOwn(quiet, 400_000);
    for (const [n, peer] of loud.entries()) pushOwn(peer, 20_000 + 1_000 * n);
    await endOfTick();
    expect(open([...loud, quiet])).to.have.length(21);
    for (let round = 0; round < 3; round++) {
      for (const peer of loud) pushOwn(peer, 20_000);
      await endOfTick();
    }
    expect(quiet.isClosed).to.equal(false);
    expect(open(loud).length).to.be.within(5, 12);
    expect(open(loud)).to.deep.equal(loud.slice(0, open(loud).length));
    expect(reached).to.deep.equal(Array(20 - open(loud).length).fill({ projectId: 'loud' }));
  });

  it('[WS-MEM-4] counts once what many readers wait for', async () => {
    const peers = peersOf('project', 1_000);
    for (let round = 0; round < 4; round++) {
      const shared = Buffer.alloc(100_000);
      for (const { outbox } of peers) outbox.push(shared);
      await endOfTick();
    }
    expect(open(peers)).to.have.length(1_000);
    expect(peers[0]?.bufferedBytes).to.equal(400_000);
  });

  it('[WS-MEM-4] forgets what readers have received', async () => {
    const peers = peersOf('project', 10);
    for (let round = 0; round < 50; round++) {
      for (const peer of peers) {
        pushOwn(peer, 50_000);
        if (round > 0) peer.bufferedBytes -= 50_000;
      }
      await endOfTick();
    }
    expect(open(peers)).to.have.length(10);
    for (const peer of peers) peer.bufferedBytes = 0;
    await eventually(() => memory.size === 0, { what: 'that all readers have caught up' });
  });

  it('[WS-MEM-4] counts what is shared between projects until nobody waits for it', async () => {
    const [one] = peersOf('one', 1) as [SlowPeer];
    const [other] = peersOf('other', 1) as [SlowPeer];
    const shared = Buffer.alloc(100_000);
    for (const { outbox } of [one, other]) outbox.push(shared);
    await endOfTick();
    expect(memory.bytes).to.be.within(100_000, 101_000);
    one.outbox.close();
    expect(memory.bytes).to.be.within(100_000, 101_000);
    other.outbox.close();
    expect(memory.bytes).to.equal(0);
  });

  it('[WS-MEM-4] looks at readers and not at what waits for them, of which there may be millions', async () => {
    let sizesRead = 0;
    let looks = 0;
    const readers = Array.from({ length: 20 }, () => {
      const outbox = {
        projectId: 'project',
        unread: 0,
        get unreadBytes() {
          looks++;
          return this.unread;
        },
        giveWay: () => undefined,
      };
      return { outbox, reader: memory.reader(outbox) };
    });
    for (let writes = 0; writes < 500; writes++) {
      const path = {
        ...{ readers: 0, countedFor: undefined },
        get size() {
          sizesRead++;
          return 200;
        },
      };
      // Together more than the budget, were it not shared.
      for (const { outbox, reader } of readers) reader.waitsFor(path, (outbox.unread += 200));
    }
    await endOfTick();
    [sizesRead, looks] = [0, 0];
    await eventually(() => looks > 0, { what: 'a look' });
    expect(sizesRead).to.be.at.most(2 * looks);
    for (const { reader } of readers) reader.ended();
    expect(memory.size).to.equal(0);
  });

  it('[WS-MEM-4] forgets connections that have ended', async () => {
    const [peer] = peersOf('project', 1) as [SlowPeer];
    pushOwn(peer, 500_000);
    await eventually(() => memory.size === 1, { what: 'a reader that waits' });
    peer.outbox.close();
    expect(memory.size).to.equal(0);
  });
});
