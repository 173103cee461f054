import { expect } from 'chai';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import { JobLink } from '../../../src/jobs/link/jobLink.js';

/** A bus that takes subscriptions at the last of so many tries. */
const busAwayFor = (tries: number): Pick<MessageBus, 'read' | 'send'> => {
  let left = tries;
  return {
    send: async () => 0,
    read: async () => ({
      subscribe: async (key) => {
        if (key.startsWith('shard') && --left > 0) throw new EngineUnavailable('message bus');
      },
      unsubscribe: () => undefined,
      next: () => undefined,
      close: async () => undefined,
    }),
  };
};

describe('what processes say to one another about jobs', () => {
  const started = async (tries: number): Promise<JobLink> => {
    const link = new JobLink({ id: 'gateway', bus: busAwayFor(tries), logger: silentLogger });
    await link.start(() => undefined);
    return link;
  };

  it('is listened to as soon as the bus can be reached', async () => {
    const link = await started(3);
    expect(await link.subscribeWhile('shard-1', () => true)).to.equal(true);
    await link.close();
  });

  it('is not asked for any more where it is not wanted', async () => {
    const link = await started(1_000);
    let asked = 0;
    expect(await link.subscribeWhile('shard-1', () => ++asked < 3)).to.equal(false);
    expect(asked).to.equal(3);
    await link.close();
  });
});
