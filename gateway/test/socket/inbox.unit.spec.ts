import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { Inbox } from '../../src/socket/inbox.js';
import { Turns } from '../../src/socket/turns.js';
import { WaitingBytes } from '../../src/socket/waitingBytes.js';

describe('an inbox', () => {
  let handled: string[];
  let flow: string[];
  let finish: (() => void)[];
  let inbox: Inbox;
  let drained: number;
  let limits: string[];
  let waitingBytes: WaitingBytes;

  const accept = (text: string) => inbox.accept(Buffer.from(text), true);
  const source = { pause: () => flow.push('pause'), resume: () => flow.push('resume') };

  /** Frames that begin with `slow` take until they are finished. */
  const handle = (bytes: Buffer): Promise<void> | undefined => {
    handled.push(bytes.toString());
    return bytes.toString().startsWith('slow') ? new Promise((resolve) => finish.push(resolve)) : undefined;
  };

  const finishNext = async () => {
    finish.shift()?.();
    await Promise.resolve();
    await Promise.resolve();
  };

  beforeEach(() => {
    handled = [];
    flow = [];
    finish = [];
    drained = 0;
    limits = [];
    waitingBytes = new WaitingBytes({ reached: (limit) => void limits.push(limit) });
    inbox = new Inbox({
      ...{ source, handle, waitingBytes },
      turns: new Turns(Number.POSITIVE_INFINITY),
      onDrained: () => drained++,
    });
  });

  it('[WS-CONN-3] handles at once what does not wait', () => {
    accept('a');
    accept('b');
    expect(handled).to.deep.equal(['a', 'b']);
  });

  it('[WS-CONN-3] delays the frames after one that waits, in order', async () => {
    for (const text of ['slow 1', 'a', 'slow 2', 'b']) accept(text);
    expect(handled).to.deep.equal(['slow 1']);
    await finishNext();
    expect(handled).to.deep.equal(['slow 1', 'a', 'slow 2']);
    accept('c');
    await finishNext();
    expect(handled).to.deep.equal(['slow 1', 'a', 'slow 2', 'b', 'c']);
  });

  it('[WS-CONN-3] stops reading when many wait, and resumes when none does', async () => {
    accept('slow 1');
    for (let count = 0; count < 31; count++) accept('a');
    expect(flow).to.deep.equal([]);
    accept('slow 2');
    accept('b');
    expect(flow).to.deep.equal(['pause']);
    await finishNext();
    expect(flow, 'the second slow one still holds the last').to.deep.equal(['pause']);
    await finishNext();
    expect(flow).to.deep.equal(['pause', 'resume']);
    expect(handled).to.have.length(34);
  });

  it('runs a task between two frames, and continues when it has finished', async () => {
    let end: () => void = () => undefined;
    const task = () => {
      handled.push('task');
      return new Promise<void>((resolve) => (end = resolve));
    };
    accept('slow 1');
    accept('a');
    inbox.perform(task);
    accept('b');
    expect(handled).to.deep.equal(['slow 1']);
    await finishNext();
    expect(handled).to.deep.equal(['slow 1', 'a', 'task']);
    end();
    await finishNext();
    expect(handled).to.deep.equal(['slow 1', 'a', 'task', 'b']);
    inbox.perform(task);
    accept('c');
    expect(handled.slice(4)).to.deep.equal(['task']);
    end();
    await finishNext();
    expect(handled.slice(4)).to.deep.equal(['task', 'c']);
  });

  it('stops reading when more than a mebibyte waits on a connection, or 64 on all, and tells of it', async () => {
    accept('slow 1');
    inbox.accept(Buffer.alloc(1_048_575), true);
    expect(flow).to.deep.equal([]);
    accept('a');
    expect(flow).to.deep.equal(['pause']);
    expect(limits).to.deep.equal(['waitingBytes']);
    await finishNext();
    expect(flow).to.deep.equal(['pause', 'resume']);
    waitingBytes.add(64 * 1_048_576);
    accept('slow 2');
    accept('a');
    expect(flow.slice(2)).to.deep.equal(['pause']);
    expect(limits.slice(1)).to.deep.equal(['waitingBytesOfAll']);
    await finishNext();
    expect(flow.slice(2)).to.deep.equal(['pause', 'resume']);
    expect(drained).to.equal(2);
    waitingBytes.add(-64 * 1_048_576);
    expect(waitingBytes.isEnough(0)).to.equal(false);
    expect([waitingBytes.isEnough(0, 31), waitingBytes.isEnough(0, 32)]).to.deep.equal([false, true]);
    expect(limits.slice(2)).to.deep.equal(['waitingFrames']);
  });

  describe('with frames that take long', () => {
    const busyFor = (ms: number) => {
      const until = performance.now() + ms;
      while (performance.now() < until);
    };
    const turnOfLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

    it('[WS-CONN-3] lets the event loop run between them, and keeps their order', async () => {
      const seen: string[] = [];
      const slow = new Inbox({
        ...{ source, waitingBytes },
        turns: new Turns(),
        onDrained: () => seen.push('drained'),
        handle: (bytes) => {
          busyFor(5);
          seen.push(bytes.toString());
          return undefined;
        },
      });
      for (const text of ['1', '2', '3']) slow.accept(Buffer.from(text), true);
      expect(seen, 'the others wait for a later turn').to.deep.equal(['1']);
      for (const expected of [
        ['1', '2'],
        ['1', '2', '3', 'drained'],
      ]) {
        while (seen.length < expected.length - 1 || seen.at(-1) !== expected.at(-1)) await turnOfLoop();
        expect(seen).to.deep.equal(expected);
      }
    });

    it('[WS-CONN-3] lets it run between frames that wait for each other in microtasks alone', async () => {
      let handledFrames = 0;
      const slow = new Inbox({
        ...{ source, waitingBytes },
        turns: new Turns(),
        onDrained: () => undefined,
        handle: async () => {
          await Promise.resolve();
          busyFor(5);
          handledFrames++;
        },
      });
      for (let count = 0; count < 10; count++) slow.accept(Buffer.from('x'), true);
      const perTurn: number[] = [];
      for (let before = 0; before < 10; before = handledFrames) {
        await turnOfLoop();
        perTurn.push(handledFrames - before);
      }
      expect(Math.max(...perTurn)).to.be.at.most(2);
    });

    it('serves a connection that sends little before those that had their share', async () => {
      const seen: string[] = [];
      const turns = new Turns();
      const inboxOf = (name: string, ms: number) =>
        new Inbox({
          ...{ source, waitingBytes, turns },
          onDrained: () => undefined,
          handle: () => {
            busyFor(ms);
            seen.push(name);
            return undefined;
          },
        });
      const hogs = Array.from({ length: 10 }, () => inboxOf('hog', 5));
      for (const hog of hogs) for (let count = 0; count < 4; count++) hog.accept(Buffer.from('x'), true);
      expect(seen).to.have.length(10);
      while (seen.length < 11) await turnOfLoop();
      inboxOf('other', 0).accept(Buffer.from('x'), true);
      expect(seen.indexOf('other')).to.be.within(11, 13);
      while (seen.length < 41) await turnOfLoop();
    });
  });

  it('drops waiting frames when it is cleared, and returns them', async () => {
    for (const text of ['slow 1', 'a', 'b']) accept(text);
    inbox.perform(async () => undefined);
    expect(inbox.clear().map(({ bytes }) => bytes.toString())).to.deep.equal(['a', 'b']);
    expect(inbox.clear()).to.deep.equal([]);
    await finishNext();
    expect(handled).to.deep.equal(['slow 1']);
  });
});
