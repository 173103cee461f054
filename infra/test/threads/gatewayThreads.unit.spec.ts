import { expect } from 'chai';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { GatewayThreads } from '../../src/threads/gatewayThreads.js';
import type { SupervisedThreadDeps } from '../../src/threads/supervisedThread.js';

const patience = { withinMs: 20_000 };

describe('the threads of a gateway', function () {
  this.timeout(60_000);
  let gate: Int32Array;
  let threads: GatewayThreads;

  const setGate = (value: number): void => {
    Atomics.store(gate, 0, value);
    Atomics.notify(gate, 0);
  };
  const shown = async (name: string): Promise<unknown[]> => {
    const values: unknown[] = [];
    const value = (of: string, ...given: unknown[]): void => void (of === name && values.push(given));
    await threads.collect({ value, distribution: () => undefined });
    return values;
  };

  beforeEach(async () => {
    gate = new Int32Array(new SharedArrayBuffer(4)).fill(1);
    const starts = new Int32Array(new SharedArrayBuffer(4));
    const settings = { starts, failures: 0, hangsAfter: Infinity, gate };
    threads = new GatewayThreads({
      ...{
        count: 2,
        descriptors: { duplicate: () => undefined },
        own: () => undefined,
        logger: silentLogger,
      },
      file: new URL('./scriptedThread.js', import.meta.url),
      settings: settings as unknown as SupervisedThreadDeps['settings'],
      serve: () => ({ close: async () => undefined }),
      watchBounds: { lookEveryMs: 500, blockedLooks: 4, stuckLooks: Infinity },
    });
    await threads.start();
  });
  afterEach(async () => {
    setGate(1);
    await threads.close();
  });

  it('are not ready while all of them are blocked, and say for how long', async () => {
    expect(threads.hindrance()).to.equal(undefined);
    expect(await shown('roomwire_gateway_thread_blocked_seconds')).to.eql([
      [0, { thread: '1' }],
      [0, { thread: '2' }],
    ]);
    setGate(0);
    const asked = threads.collect({ value: () => undefined, distribution: () => undefined });
    await eventually(() => threads.hindrance() === 'every thread of the gateway is blocked', patience);
    for (const [seconds] of (await shown('roomwire_gateway_thread_blocked_seconds')) as [number][])
      expect(seconds).to.be.at.least(2);
    // They run still, and have their connections.
    expect(await shown('roomwire_gateway_threads')).to.eql([[2]]);
    setGate(1);
    await eventually(() => threads.hindrance() === undefined, patience);
    await asked;
  });

  it('are closed without those that are blocked', async () => {
    setGate(0);
    void threads.collect({ value: () => undefined, distribution: () => undefined });
    await eventually(() => threads.hindrance() !== undefined, patience);
    await threads.close();
    expect(threads.hindrance()).to.equal('no thread of the gateway runs');
  });
});
