import { openMongoHistoryIndex } from '@roomwire/shared/adapters/history-index/mongoHistoryIndex';
import { openKafkaMessageBus } from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { liveMessages } from '@roomwire/shared/wire/bus/liveMessage';
import type { EngineAddresses } from '../engines/onEngines.js';
import type { Stoppable } from '../process/children.js';

/** How far the index is behind what has been published. */
export interface IndexDelay extends Stoppable {
  /** Resolves when everything that was published before the call is in the index. */
  caughtUp(): Promise<void>;
}

const patienceMs = 120_000;

export const openIndexDelay = async ({ brokers, mongodbUrl }: EngineAddresses): Promise<IndexDelay> => {
  const index = await openMongoHistoryIndex({ url: mongodbUrl });
  const bus = await openKafkaMessageBus({ brokers: [brokers], clientId: 'load' });
  const partitions = await bus.partitions(liveMessages);
  const all = Array.from({ length: partitions.count }, (_, partition) => partition);
  return {
    async caughtUp() {
      const deadline = performance.now() + patienceMs;
      const ends = await Promise.all(all.map(async (partition) => (await partitions.bounds(partition)).high));
      for (const [partition, end] of ends.entries())
        while (end > 0 && ((await index.partition(partition))?.next ?? 0) < end)
          if (performance.now() > deadline) throw new Error('The index stays behind');
    },
    stop: async () => void (await Promise.all([bus.close(), index.close()])),
  };
};
