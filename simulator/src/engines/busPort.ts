import { decode } from '@msgpack/msgpack';
import {
  carriedBy,
  withCarried,
  type Carried,
} from '@roomwire/shared/adapters/message-bus/kafka/recordFormat';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import {
  unknownOffset,
  type Acknowledgement,
  type ChannelReader,
  type MessageBus,
  type OnRecord,
  type QueueWorker,
  type ReadOptions,
} from '@roomwire/shared/ports/messageBus';
import type { LostWork } from '@roomwire/shared/wire/bus/lostWork';
import { versionsOf, type Channel, type Versioned, type WorkQueue } from '@roomwire/shared/wire/bus/channel';
import type { SimulatedProcess } from '../cluster/simulatedProcess.js';
import type { Network } from './network.js';
import type { SimulatedBus } from './simulatedBus.js';

interface Outgoing {
  readonly record: unknown;
  readonly bytes: Uint8Array;
  readonly headers: Carried | undefined;
  readonly expiresAt: number;
  readonly settle: { stored(offset: number): void; failed(error: Error): void } | undefined;
}

/** What a process sends with one key: nothing overtakes what was sent before it. */
interface Lane {
  readonly waiting: Outgoing[];
  isMoving: boolean;
}

const patienceMs = 5_000;
const betweenTriesMs = 200;
const lossOfUnacknowledged = 0.02;

/** The bus as one process has it. */
export class BusPort implements MessageBus {
  private readonly process: SimulatedProcess;
  private readonly network: Network;
  private readonly bus: SimulatedBus;
  private readonly lanes = new Map<string, Lane>();
  private isOpen = true;

  constructor(process: SimulatedProcess, network: Network, bus: SimulatedBus) {
    this.process = process;
    this.network = network;
    this.bus = bus;
  }

  get reachable(): boolean {
    return !this.network.isCut(this.process, 'bus');
  }

  send<T>(channel: Channel<T>, record: T, acknowledgement: Acknowledgement): Promise<number> {
    const { network, process } = this;
    if (network.hasCrashed(process)) return new Promise(() => undefined);
    if (!this.isOpen || (acknowledgement === 'none' && !this.reachable))
      return Promise.reject(new EngineUnavailable('message bus'));
    const expiresAt = network.time.now + patienceMs;
    const headers = carriedBy(channel.carried, record);
    const outgoing = { record, bytes: channel.codec.encode(record), headers, expiresAt };
    if (acknowledgement === 'stored')
      return new Promise((stored, failed) =>
        this.enqueue(channel as Channel<unknown>, { ...outgoing, settle: { stored, failed } }),
      );
    this.enqueue(channel as Channel<unknown>, { ...outgoing, settle: undefined });
    return Promise.resolve(unknownOffset);
  }

  async read<T>(
    channel: Channel<T>,
    { interest }: ReadOptions,
    onRecord: OnRecord<T>,
  ): Promise<ChannelReader> {
    const { network, process } = this;
    const subscribed = interest === 'subscribed' ? new Map<string, number>() : undefined;
    let isOpen = true;
    const remove = await network.call(process, 'bus', 'message bus', () =>
      this.bus.add(channel.name, {
        process,
        wants: (key) => subscribed === undefined || subscribed.has(key),
        take: ({ bytes, headers, offset }) => {
          if (isOpen)
            onRecord(withCarried(channel.carried ?? [], channel.codec.decode(bytes), headers), offset);
        },
      }),
    );
    const unsubscribe = (key: string): void => {
      const times = subscribed?.get(key) ?? 0;
      if (times > 1) subscribed?.set(key, times - 1);
      else subscribed?.delete(key);
    };
    return {
      subscribe: async (key) => {
        if (!isOpen || subscribed === undefined) return;
        let isSubscribed = false;
        // What is stored before the broker knows of it does not come.
        const begin = (): void => {
          isSubscribed = true;
          subscribed.set(key, (subscribed.get(key) ?? 0) + 1);
        };
        await network.call(process, 'bus', 'message bus', begin).catch((error: unknown) => {
          if (isSubscribed) unsubscribe(key);
          throw error;
        });
      },
      unsubscribe,
      // Positions of connections on record are not simulated.
      next: () => undefined,
      close: async () => {
        isOpen = false;
        remove();
      },
    };
  }

  /** Nobody takes it: what is done with it is not simulated. */
  put<T>(_queue: WorkQueue<T>, job: T): Promise<void> {
    const { work } = job as { readonly work?: LostWork };
    return this.network.call(this.process, 'bus', 'message bus', () => {
      if (work?.scheduledId !== undefined) this.bus.lostSchedules.add(work.scheduledId);
      if (work?.kind === 'job') this.bus.deadJobs.add(decode(work.data) as number);
    });
  }

  async work(): Promise<QueueWorker> {
    return { close: async () => undefined };
  }

  versionOf(topic: Versioned): number {
    return versionsOf(topic).newest;
  }

  async close(): Promise<void> {
    this.isOpen = false;
  }

  private enqueue(channel: Channel<unknown>, outgoing: Outgoing): void {
    const name = `${channel.name} ${this.bus.orderOf(channel, outgoing.record)}`;
    const lane = this.lanes.get(name) ?? { waiting: [], isMoving: false };
    this.lanes.set(name, lane);
    lane.waiting.push(outgoing);
    if (lane.isMoving) return;
    lane.isMoving = true;
    this.network.time.after(undefined, this.network.delay(), () => this.arrive(channel, lane));
  }

  /** All that has gathered, in its order. */
  private arrive(channel: Channel<unknown>, lane: Lane): void {
    const { network, process, bus } = this;
    const { time, chance } = network;
    // What a dead process had not handed over to its socket is lost.
    if (!process.isAlive && chance.next() < 0.5) return void lane.waiting.splice(0);
    if (network.isCut(process, 'bus')) {
      this.expire(lane);
      return void time.after(undefined, betweenTriesMs, () => this.arrive(channel, lane));
    }
    lane.isMoving = false;
    for (const { record, bytes, headers, settle } of lane.waiting.splice(0)) {
      // Whoever waits for no acknowledgement is not told of a loss either.
      if (settle === undefined && network.isHostile && chance.next() < lossOfUnacknowledged) continue;
      const offset = bus.store(channel, record, { bytes, headers });
      if (settle === undefined) continue;
      const isLost = network.isHostile && chance.next() < network.lostAnswers;
      time.after(process, isLost ? patienceMs : network.delay(), () => {
        if (network.hasCrashed(process)) return;
        if (isLost) settle.failed(new EngineUnavailable('message bus'));
        else settle.stored(offset);
      });
    }
  }

  private expire({ waiting }: Lane): void {
    const { time } = this.network;
    for (let first = waiting[0]; first && first.expiresAt <= time.now; first = waiting[0]) {
      waiting.shift();
      const { settle } = first;
      if (settle) time.after(this.process, 0, () => settle.failed(new EngineUnavailable('message bus')));
    }
  }
}
