import { liveMessages, type LiveMessage } from '../../wire/bus/liveMessage.js';
import {
  recordedMessages,
  type RetentionClass,
  retentionClasses,
  retentionMs,
} from '../../wire/bus/recordedMessages.js';
import { roomOfTopic } from '../../domain/topic.js';
import type { Clock } from '../../ports/clock.js';
import { EngineUnavailable } from '../../ports/errors.js';
import type { MessageStore, RecordedMessage, Replay, ReplayRange } from '../../ports/messageStore.js';
import { once } from '../../runtime/service.js';
import type { StoredRecord } from '../message-bus/kafka/kafkaClient.js';
import type { KafkaRecords } from '../message-bus/kafka/kafkaMessageBus.js';
import type { PartitionHistory } from '../message-bus/kafka/partitionHistory.js';
import { systemClock } from '../system/systemClock.js';
import { merged, newestOf, type Mark } from './replayMarks.js';

const pageBytes = 2 * 1024 * 1024;
const pageMessages = 500;

/** Reads selected records of a partition in ascending offset order and buffers one fetch. */
class RecordCursor {
  private readonly history: Pick<PartitionHistory, 'from'>;
  private fetched: readonly StoredRecord[] = [];
  private next = 0;

  constructor(history: Pick<PartitionHistory, 'from'>) {
    this.history = history;
  }

  /** Undefined where it is no longer there. */
  async at(wanted: number): Promise<StoredRecord | undefined> {
    if (Number(this.fetched.at(-1)?.offset ?? -1) < wanted) {
      this.fetched = await this.history.from(wanted);
      this.next = 0;
    }
    for (; this.next < this.fetched.length; this.next += 1) {
      const record = this.fetched[this.next] as StoredRecord;
      if (Number(record.offset) === wanted) return record;
      if (Number(record.offset) > wanted) return undefined;
    }
    return undefined;
  }
}

/** The messages of a topic in one retention class. */
interface Found {
  readonly cursor: RecordCursor;
  readonly marks: readonly Mark[];
}

/** Messages in topics of Kafka, one for each class. It lives on the connections of a bus, which closes after it. */
class KafkaMessageStore implements MessageStore {
  private readonly records: KafkaRecords;
  private readonly clock: Clock;
  private readonly appending = new Set<Promise<void>>();
  private isOpen = true;

  constructor(records: KafkaRecords, clock: Clock) {
    this.records = records;
    this.clock = clock;
  }

  async append(message: LiveMessage, retention: RetentionClass): Promise<void> {
    this.assertOpen();
    const stored = this.records.store(recordedMessages[retention], message, this.clock.now());
    const settled = stored.then(nothing, nothing).finally(() => this.appending.delete(settled));
    this.appending.add(settled);
    return stored;
  }

  /**
   * Reads what the room's partition of each class holds of the time, twice: to find the offsets of the newest, and then
   * these alone. So memory holds those offsets and a few fetches.
   */
  async replay(internalTopic: string, range: ReplayRange): Promise<Replay> {
    this.assertOpen();
    const found = await Promise.all(
      retentionClasses.map((retention) => this.find(internalTopic, retention, range)),
    );
    const marks = newestOf(merged(found.map((one) => one.marks)), range.limit);
    return { count: marks.length, pages: this.pages(marks, found) };
  }

  readonly close = once(async () => {
    this.isOpen = false;
    await Promise.all(this.appending);
  });

  private async find(
    internalTopic: string,
    retention: RetentionClass,
    { sinceMs, limit }: ReplayRange,
  ): Promise<Found> {
    const since = Math.max(sinceMs, this.clock.now() - retentionMs(retention) + 1);
    const history = await this.records.history(
      recordedMessages[retention],
      roomOfTopic(internalTopic),
      since,
    );
    const run = retentionClasses.indexOf(retention);
    let marks: Mark[] = [];
    for await (const records of history.all()) {
      for (const record of records) {
        const recordedAt = Number(record.timestamp);
        const message = recordedAt < since ? undefined : decoded(record);
        if (message?.topic !== internalTopic) continue;
        marks.push({ run, offset: Number(record.offset), recordedAt, id: message.id });
      }
      if (marks.length > 2 * limit) marks = marks.slice(-limit);
    }
    return { cursor: new RecordCursor(history), marks: newestOf(marks, limit) };
  }

  private async *pages(
    marks: readonly Mark[],
    found: readonly Found[],
  ): AsyncGenerator<readonly RecordedMessage[]> {
    let page: RecordedMessage[] = [];
    let bytes = 0;
    for (const { run, offset } of marks) {
      this.assertOpen();
      const record = await found[run]?.cursor.at(offset);
      const message = record && decoded(record);
      if (record === undefined || message === undefined) continue;
      page.push({ message, recordedAt: Number(record.timestamp) });
      bytes += message.body.length;
      if (page.length < pageMessages && bytes < pageBytes) continue;
      yield page;
      [page, bytes] = [[], 0];
    }
    if (page.length > 0) yield page;
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('message store');
  }
}

const nothing = (): void => undefined;

/** Skips records of an unknown format, since other programs may write to the topic. */
const decoded = ({ value }: StoredRecord): LiveMessage | undefined => {
  try {
    return liveMessages.codec.decode(value ?? new Uint8Array());
  } catch {
    return undefined;
  }
};

export const createKafkaMessageStore = (records: KafkaRecords, clock: Clock = systemClock): MessageStore =>
  new KafkaMessageStore(records, clock);
