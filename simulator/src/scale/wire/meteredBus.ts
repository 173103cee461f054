import {
  unknownOffset,
  type ChannelReader,
  type MessageBus,
  type OnRecord,
} from '@roomwire/shared/ports/messageBus';
import { versionsOf, type Channel } from '@roomwire/shared/wire/bus/channel';
import type { VirtualTime } from '../../time/virtualTime.js';
import { Tally } from './tally.js';

interface Reader {
  readonly channel: string;
  readonly take: OnRecord<never>;
}

/** From a send to all who read it. */
const wayMs = 1;

/**
 * The channels that every gateway reads whole: a record goes to all readers, those of its sender included, and is counted once, since all of
 * them read the same.
 */
export class MeteredBus {
  /** What each reader has read since the count began, by channel and kind of record. */
  read = new Tally();
  private readonly time: VirtualTime;
  private readonly readers: Reader[] = [];

  constructor(time: VirtualTime) {
    this.time = time;
  }

  /** As a process has it. */
  readonly port: MessageBus = {
    reachable: true,
    versionOf: (topic) => versionsOf(topic).newest,
    send: (channel, record) => this.send(channel, record),
    read: async (channel, _options, onRecord) => this.add({ channel: channel.name, take: onRecord }),
    put: () => notSimulated('A work queue'),
    work: () => notSimulated('A work queue'),
    close: async () => undefined,
  };

  startOver(): void {
    this.read = new Tally();
  }

  private send<T>(channel: Channel<T>, record: T): Promise<number> {
    const bytes = channel.key(record).length + channel.codec.encode(record).length;
    const { kind } = record as { readonly kind: string };
    return new Promise((stored) =>
      this.time.after(undefined, wayMs, () => {
        this.read.add(`${channel.name} ${kind}`, bytes);
        for (const { channel: name, take } of this.readers)
          if (name === channel.name) (take as OnRecord<T>)(record, unknownOffset);
        stored(unknownOffset);
      }),
    );
  }

  private add(reader: Reader): ChannelReader {
    this.readers.push(reader);
    return {
      subscribe: () => notSimulated('A part of a channel'),
      unsubscribe: () => undefined,
      next: () => undefined,
      close: async () => void this.readers.splice(this.readers.indexOf(reader), 1),
    };
  }
}

const notSimulated = (what: string): Promise<never> =>
  Promise.reject(new Error(`${what} is not simulated here`));
