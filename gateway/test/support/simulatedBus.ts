import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ChannelReader, MessageBus, OnRecord } from '@roomwire/shared/ports/messageBus';
import { versionsOf, type Channel, type Versioned } from '@roomwire/shared/wire/bus/channel';
import type { Manner, News } from './manner.js';

interface Partition {
  readonly channel: string;
  readonly records: unknown[];
}

interface Reader {
  readonly port: BusPort;
  readonly channel: string;
  readonly onRecord: OnRecord<unknown>;
  /** What it has had of each partition. */
  readonly places: Map<Partition, number>;
}

/** Channels whose records are in one order for all keys. */
const onePartition = ['gateways'];

/**
 * A bus on which nothing moves by itself: a test says which record reaches whom next, which is lost, and who is cut
 * off. Order holds within a key, as the port promises, and nowhere else.
 */
export class SimulatedBus {
  private readonly partitions = new Map<string, Partition>();
  private readonly readers = new Set<Reader>();

  /** The bus as one process sees it. */
  port(manner?: Manner): BusPort {
    return new BusPort(this, manner);
  }

  append(channel: Channel<unknown>, record: unknown): number {
    const key = onePartition.includes(channel.name) ? '' : channel.key(record);
    const name = `${channel.name} ${key}`;
    const partition = this.partitions.get(name) ?? { channel: channel.name, records: [] };
    this.partitions.set(name, partition);
    return partition.records.push(record) - 1;
  }

  add(reader: Reader): void {
    // Reading begins at the end.
    for (const partition of this.partitions.values()) reader.places.set(partition, partition.records.length);
    this.readers.add(reader);
  }

  remove(port: BusPort): void {
    for (const reader of this.readers) if (reader.port === port) this.readers.delete(reader);
  }

  /** Delivers or loses the record that `choice` selects. False when there is no record. */
  move(choice: number, isLost = false): boolean {
    const waiting = [...this.readers]
      .filter(({ port }) => !port.isFrozen)
      .flatMap((reader) => this.behind(reader).map((partition) => ({ reader, partition })));
    const next = waiting[choice % Math.max(1, waiting.length)];
    if (next === undefined) return false;
    const { reader, partition } = next;
    const place = reader.places.get(partition) ?? 0;
    reader.places.set(partition, place + 1);
    if (!isLost) reader.onRecord(partition.records[place], place);
    return true;
  }

  private behind(reader: Reader): readonly Partition[] {
    return [...this.partitions.values()].filter(
      (partition) =>
        partition.channel === reader.channel &&
        (reader.places.get(partition) ?? 0) < partition.records.length,
    );
  }
}

export type Cut = 'no' | 'refused' | 'stored, and refused';

export class BusPort implements MessageBus {
  cut: Cut = 'no';
  /** As a stopped process: it reads nothing. */
  isFrozen = false;
  private readonly bus: SimulatedBus;
  private readonly manner: Manner;

  constructor(bus: SimulatedBus, manner: Manner = {}) {
    this.bus = bus;
    this.manner = manner;
  }

  get reachable(): boolean {
    return this.cut === 'no';
  }

  async send<T>(channel: Channel<T>, record: T): Promise<number> {
    const { writes = (news) => news } = this.manner;
    if (this.cut === 'refused') throw new EngineUnavailable('message bus');
    const offset = this.bus.append(channel as Channel<unknown>, writes(record as News));
    if (this.cut !== 'no') throw new EngineUnavailable('message bus');
    return offset;
  }

  async read<T>(channel: Channel<T>, _options: unknown, onRecord: OnRecord<T>): Promise<ChannelReader> {
    const places = new Map<Partition, number>();
    const { reads = () => true } = this.manner;
    this.bus.add({
      port: this,
      channel: channel.name,
      onRecord: (record, offset) => {
        if (reads(record as News)) onRecord(record as T, offset);
      },
      places,
    });
    return {
      subscribe: async () => undefined,
      unsubscribe: () => undefined,
      next: () => undefined,
      close: async () => undefined,
    };
  }

  versionOf(topic: Versioned): number {
    return versionsOf(topic).newest;
  }

  /** As a killed process. */
  async close(): Promise<void> {
    this.bus.remove(this);
    this.cut = 'refused';
  }

  put(): Promise<void> {
    throw new Error('This bus has channels only');
  }

  work(): Promise<never> {
    throw new Error('This bus has channels only');
  }
}
