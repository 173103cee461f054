import { expect } from 'chai';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { JobRequeued } from '@roomwire/shared/ports/errors';
import { Pacer } from '../../src/consume/pacing.js';

describe('the pace of the backlog', () => {
  const outcomeOf = (pass: Promise<void>): Promise<unknown> => pass.catch((error: unknown) => error);

  it('gives calls that wait for their turns back when it is closed, and all that come then', async () => {
    const pacer = new Pacer(0.001, systemClock);
    await pacer.pass(1);
    const waiting = [pacer.pass(1), pacer.pass(1_000_000)].map(outcomeOf);
    pacer.close();
    for (const outcome of [...(await Promise.all(waiting)), await outcomeOf(pacer.pass(1))])
      expect(outcome).to.be.instanceOf(JobRequeued);
  });

  it('admits a call after the turns of the one before', async () => {
    const pacer = new Pacer(1_000, systemClock);
    const admitted: string[] = [];
    const passed = ['large', 'small'].map(async (call) => {
      await pacer.pass(call === 'large' ? 20_000 : 1);
      admitted.push(call);
    });
    await Promise.all(passed);
    expect(admitted).to.eql(['large', 'small']);
  });
});
