import type { Carried } from '@roomwire/shared/adapters/message-bus/kafka/recordFormat';
import { busTopics } from '@roomwire/shared/wire/bus/busTopics';
import type { Channel } from '@roomwire/shared/wire/bus/channel';
import { liveMessages } from '@roomwire/shared/wire/bus/liveMessage';
import type { SimulatedProcess } from '../cluster/simulatedProcess.js';
import { MessagePartitions } from './messagePartitions.js';
import type { Network } from './network.js';

/** One that reads a channel in a process. */
export interface BusReader {
  readonly process: SimulatedProcess;
  wants(key: string): boolean;
  take(stored: Stored): void;
}

/** What a record is on the wire. */
export interface Encoded {
  readonly bytes: Uint8Array;
  readonly headers: Carried | undefined;
}

export interface Stored extends Encoded {
  readonly offset: number;
}

/** Told of each record in the order in which they were stored. */
export type OnStored = (channel: string, key: string, record: unknown, offset: number) => void;

/** What a reader has not had yet of one key. */
interface Lane {
  readonly records: Stored[];
  isMoving: boolean;
}

const betweenTriesMs = 120;

const hasOneOrder = new Set(busTopics.filter(({ partitions }) => partitions === 1).map(({ name }) => name));

/**
 * The brokers: they hold what has been stored, in one order a key, and bring it to each reader in that order. Between keys there is
 * none, unless the topic is declared with one partition.
 */
export class SimulatedBus {
  /** Whether a record may be stored, and delivered, a second time. */
  duplicates = false;
  readonly messages = new MessagePartitions();
  /** Scheduled publishes that became dead letters. */
  readonly lostSchedules = new Set<string>();
  /** Numbers of the messages whose jobs did. */
  readonly deadJobs = new Set<number>();
  private readonly network: Network;
  private readonly readers = new Map<string, Map<BusReader, Map<string, Lane>>>();
  /** How many records there are of each order, but for those of messages. */
  private readonly ends = new Map<string, number>();
  private readonly onStored: OnStored;

  constructor(network: Network, onStored: OnStored) {
    this.network = network;
    this.onStored = onStored;
  }

  orderOf(channel: Channel<unknown>, record: unknown): string {
    return hasOneOrder.has(channel.name) ? '' : channel.key(record);
  }

  add(channel: string, reader: BusReader): () => void {
    const readers = this.readers.get(channel) ?? new Map<BusReader, Map<string, Lane>>();
    this.readers.set(channel, readers.set(reader, new Map()));
    return () => void readers.delete(reader);
  }

  /** Returns the offset, that of the first where it is stored twice. */
  store(channel: Channel<unknown>, record: unknown, encoded: Encoded): number {
    const { chance, isHostile } = this.network;
    const order = this.orderOf(channel, record);
    const key = channel.key(record);
    const laneOf = (room: string): string =>
      channel.name === liveMessages.name ? String(this.messages.partitionOf(room)) : room;
    const times = this.duplicates && isHostile && chance.next() < 0.01 ? 2 : 1;
    let first: number | undefined;
    for (let n = 0; n < times; n += 1) {
      const offset = this.append(channel.name, key, order, encoded);
      first ??= offset;
      this.onStored(channel.name, key, record, offset);
      for (const [reader, lanes] of this.readers.get(channel.name) ?? []) {
        if (!reader.process.isAlive) this.readers.get(channel.name)?.delete(reader);
        else if (reader.wants(key)) this.bring({ ...encoded, offset }, laneOf(order), reader, lanes);
      }
    }
    return first as number;
  }

  private append(channel: string, key: string, order: string, { bytes, headers }: Encoded): number {
    if (channel === liveMessages.name) return this.messages.append(key, bytes, headers);
    const partition = `${channel} ${order}`;
    const offset = this.ends.get(partition) ?? 0;
    this.ends.set(partition, offset + 1);
    return offset;
  }

  private bring(stored: Stored, order: string, reader: BusReader, lanes: Map<string, Lane>): void {
    const lane = lanes.get(order) ?? { records: [], isMoving: false };
    lanes.set(order, lane);
    lane.records.push(stored);
    if (!lane.isMoving) this.move(lane, reader);
  }

  private move(lane: Lane, reader: BusReader): void {
    const { network } = this;
    lane.isMoving = true;
    const arrive = (): void => {
      if (network.isCut(reader.process, 'bus'))
        return void network.time.after(reader.process, betweenTriesMs, arrive);
      lane.isMoving = false;
      for (const stored of lane.records.splice(0)) reader.take(stored);
    };
    network.time.after(reader.process, network.delay(), arrive);
  }
}
