import { expect } from 'chai';
import fc from 'fast-check';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { CallWaits } from '../../src/consume/waits.js';
import { defaultOptions } from '../../src/options.js';

const call = { callId: 'c', attempts: 3 } as WebhookCall;

describe('[HOOK-RETRY-5] the waits of a call', () => {
  const waits = new CallWaits(defaultOptions);

  const queuesFor = (waitMs: number): string[] => {
    const names: string[] = [];
    for (let left: number | undefined = waitMs; left !== undefined;) {
      const { queue, call: waiting } = waits.for(call, left);
      names.push(queue.name);
      left = waiting.waitsOnMs;
    }
    return names;
  };

  it('are made of few steps', () => {
    expect(queuesFor(4_000)).to.eql(['webhook-retry-4s']);
    expect(queuesFor(8_000)).to.eql(['webhook-retry-4s', 'webhook-retry-4s']);
    expect(queuesFor(3_600_000)).to.have.lengthOf(6);
    expect(queuesFor(100)).to.eql(['webhook-retry-1s']);
  });

  it('of the second and the third attempt are a queue each', () => {
    expect(waits.usual({ ...call, attempts: 1 }).queue).to.include({
      name: 'webhook-retry-1s',
      delayMs: 1_000,
    });
    expect(waits.usual({ ...call, attempts: 2 }).queue).to.include({
      name: 'webhook-retry-2s',
      delayMs: 2_000,
    });
  });

  it('are never too short, and too long by less than a second', () => {
    const delays = new Map(waits.queues.map(({ name, delayMs }) => [name, delayMs]));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 259_200_000 }), (waitMs) => {
        const waited = queuesFor(waitMs).reduce((sum, name) => sum + (delays.get(name) ?? 0), 0);
        expect(waited).to.be.within(waitMs, waitMs + 999);
      }),
    );
  });
});
