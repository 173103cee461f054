import { expect } from 'chai';
import { ChannelSource } from '../../../src/adapters/message-bus/kafka/channelSource.js';
import type { EndOffsets } from '../../../src/adapters/message-bus/kafka/topicCatalog.js';
import type { ConsumerContext } from '../../../src/adapters/message-bus/kafka/supervisedConsumer.js';
import { notes } from '@roomwire/testing/contracts/message-bus/busUnderTest';

describe('the lag of a channel on Kafka', () => {
  const ends = { now: [3, 0, 40] };
  /** Its consumer is not started, so that it stays where it begins. */
  const source = new ChannelSource(notes, {
    topic: notes.name,
    partitions: 3,
    groupPrefix: 'test.',
    sessionTimeoutMs: 1_000,
    ends: { fetch: async () => ends.now } as unknown as EndOffsets,
    context: {} as ConsumerContext,
    logger: undefined,
    unused: async () => undefined,
  });

  it('counts the records behind the current offset, in the partitions that are read', async () => {
    expect(await source.lag()).to.equal(0);
    const reader = await source.read({ interest: 'all' }, () => undefined);
    expect(await source.lag()).to.equal(0);
    ends.now = [10, 2, 40];
    expect(await source.lag()).to.equal(9);
    // The partition was created again: nothing of it is behind.
    ends.now = [10, 2, 0];
    expect(await source.lag()).to.equal(9);
    await reader.close();
    expect(await source.lag()).to.equal(0);
  });
});
