import type { PastMessage, RoomPast } from '../../ports/roomPast.js';
import type { Logger } from '../../ports/logger.js';
import { liveMessages, type LiveMessage } from '../../wire/bus/liveMessage.js';
import { isGroupRecord, roomRecords } from '../../wire/bus/roomRecord.js';
import type { ChannelPartitions } from '../message-bus/kafka/channelPartitions.js';
import type { StoredRecord } from '../message-bus/kafka/kafkaClient.js';
import { withCarried } from '../message-bus/kafka/recordFormat.js';

export interface KafkaRoomPastDeps {
  /** Of `messages`. */
  readonly partitions: Pick<ChannelPartitions, 'partitionOf' | 'bounds' | 'records'>;
  readonly logger: Logger | undefined;
}

/** Reads the partitions of `messages` from an offset on. */
export class KafkaRoomPast implements RoomPast {
  private readonly deps: KafkaRoomPastDeps;

  constructor(deps: KafkaRoomPastDeps) {
    this.deps = deps;
  }

  partitionOf(room: string): number {
    return this.deps.partitions.partitionOf(room);
  }

  async *behind(
    partition: number,
    offset: number,
    expired: (first: number) => void,
  ): AsyncGenerator<readonly PastMessage[]> {
    const { partitions } = this.deps;
    const { low, high } = await partitions.bounds(partition);
    let next = offset + 1;
    if (next < low) {
      expired(low);
      next = low;
    }
    while (next < high) {
      const records = await partitions.records(partition, next);
      const last = records?.at(-1);
      if (records === undefined || last === undefined) {
        const { low: first } = await partitions.bounds(partition);
        expired(first);
        next = Math.max(next + 1, first);
        continue;
      }
      yield records.flatMap((record) => this.messageOf(record) ?? []);
      next = Number(last.offset) + 1;
    }
  }

  private messageOf({ offset, value, headers }: StoredRecord): PastMessage | undefined {
    try {
      const record = roomRecords.codec.decode(value ?? new Uint8Array());
      if (isGroupRecord(record)) return undefined;
      const message: LiveMessage = withCarried(liveMessages.carried ?? [], record, headers);
      return { message, offset: Number(offset) };
    } catch (error) {
      this.deps.logger?.error('A message cannot be read', { offset, error });
      return undefined;
    }
  }
}
