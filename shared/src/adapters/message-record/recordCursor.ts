import type { KafkaMessage } from 'kafkajs';
import type { PartitionHistory } from '../message-bus/kafka/partitionHistory.js';

/** Reads chosen records of a partition, whose places rise, and holds one fetch of them. */
export class RecordCursor {
  readonly #history: Pick<PartitionHistory, 'from'>;
  #fetched: readonly KafkaMessage[] = [];
  #next = 0;

  constructor(history: Pick<PartitionHistory, 'from'>) {
    this.#history = history;
  }

  /** Undefined where it is no longer there. */
  async at(place: number): Promise<KafkaMessage | undefined> {
    if (Number(this.#fetched.at(-1)?.offset ?? -1) < place) {
      this.#fetched = await this.#history.from(place);
      this.#next = 0;
    }
    for (; this.#next < this.#fetched.length; this.#next += 1) {
      const record = this.#fetched[this.#next] as KafkaMessage;
      if (Number(record.offset) === place) return record;
      if (Number(record.offset) > place) return undefined;
    }
    return undefined;
  }
}
