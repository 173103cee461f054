import type { GroupBatch, GroupReading } from '@roomwire/shared/adapters/message-bus/kafka/groupReader';
import type { KafkaGroups } from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Fact, FactStream } from '../facts/factStream.js';
import type { FactFolder } from '../store/factFolder.js';
import type { Collector, FactSource, Taken } from './collector.js';

interface FollowDeps {
  readonly follow: KafkaGroups['follow'];
  readonly stream: FactStream;
  readonly folder: FactFolder;
  /** Told of the source that it is to hold up. */
  readonly collect: (source: FactSource) => Collector;
  readonly logger: Logger;
  /** Called when it cannot go on. */
  readonly failed: (reason: string) => void;
}

export interface Following {
  close(): Promise<void>;
}

const group = 'analytics';

/**
 * Follows a topic as a member of the group `roomwire.analytics.<topic>`. The files alone say where reading continues: a file
 * that exists covers its offsets, and offsets without a file count as unread, however the process ended.
 */
export const followKafka = async (deps: FollowDeps): Promise<Following> => {
  const { follow, stream, folder, logger } = deps;
  const link: { reading?: GroupReading } = {};
  const collector = deps.collect({
    pause: () => link.reading?.pause(),
    resume: () => link.reading?.resume(),
    written: (offsets) => {
      link.reading?.commit(offsets).catch((error: unknown) => {
        logger.debug('Offsets could not be committed', { stream: stream.name, error });
      });
    },
  });
  const takenOf = createTaken(stream, logger);
  const reading = await follow(stream, group, {
    nextOffset: (partition) => folder.nextPlace(partition),
    take: (batch) => collector.add(takenOf(batch)),
    lost: (partition) => collector.lose(partition),
    cut: (partition) =>
      deps.failed(
        `The topic ${stream.name} was recreated: its partition ${partition} ends before what ${folder.path} holds. ` +
          'Move that folder away, and start again.',
      ),
  });
  link.reading = reading;
  return {
    close: async () => {
      reading.pause();
      await collector.close();
      await reading.close();
    },
  };
};

const createTaken =
  (stream: FactStream, logger: Logger) =>
  ({ partition, first, next, messages }: GroupBatch): Taken => {
    const offsets: number[] = [];
    const facts: Fact[] = [];
    for (const { offset, value, timestamp } of messages) {
      const fact = legible(() => stream.factOf(value ?? new Uint8Array(), Number(timestamp)));
      if (fact instanceof Error)
        logger.error('A record cannot be read', { stream: stream.name, partition, offset, error: fact });
      else if (fact !== undefined) {
        offsets.push(Number(offset));
        facts.push(fact);
      }
    }
    return { partition, first, next, offsets, facts };
  };

/** What cannot be read would not become readable: it is passed over. */
const legible = (read: () => Fact | undefined): Fact | undefined | Error => {
  try {
    return read();
  } catch (error) {
    return error as Error;
  }
};
