import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { Inbox } from '../../src/socket/inbox.js';

describe('an inbox', () => {
  let handled: string[];
  let flow: string[];
  let finish: (() => void)[];
  let inbox: Inbox;

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
    inbox = new Inbox(source, handle);
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

  it('drops waiting frames when it is cleared', async () => {
    for (const text of ['slow 1', 'a']) accept(text);
    inbox.clear();
    await finishNext();
    expect(handled).to.deep.equal(['slow 1']);
  });
});
