import { expect } from 'chai';
import { once } from 'node:events';
import { Emitter } from '../src/primitives.js';

describe('Emitter', () => {
  it('calls each listener until it is removed', () => {
    const emitter = new Emitter<{ count: number }>();
    const seen: number[] = [];
    const listener = (count: number): void => void seen.push(count);
    const removeOne = emitter.on('count', listener);
    emitter.on('count', listener);
    emitter.emit('count', 1);
    removeOne();
    emitter.emit('count', 2);
    expect(seen).to.deep.equal([1, 1, 2]);
  });

  it('isolates listeners from each other, and leaves their errors to the process', async () => {
    const emitter = new Emitter<{ count: number }>();
    const seen: number[] = [];
    const error = new Error('listener');
    emitter.on('count', () => {
      throw error;
    });
    emitter.on('count', (count) => void seen.push(count));
    // The test runner's own listener would fail the test.
    const own = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    const uncaught = once(process, 'uncaughtException');
    emitter.emit('count', 1);
    expect(await uncaught).to.include(error);
    for (const listener of own) process.on('uncaughtException', listener);
    expect(seen).to.deep.equal([1]);
  });
});
