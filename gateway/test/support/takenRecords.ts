import { Buffer } from 'node:buffer';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Channel } from '@roomwire/shared/wire/bus/channel';
import { eventually } from '@roomwire/testing/run/eventually';
import { overlaid } from './overlaid.js';

type AnyChannel = Channel<never>;

const bytesOf = <T>({ codec }: Channel<T>, record: T): string =>
  Buffer.from(codec.encode(record)).toString('base64');

/** More than a test has under way at once; what is older has long arrived. */
const maxKept = 200;

const keep = (kept: Set<string>, record: string): void => {
  kept.add(record);
  if (kept.size > maxKept) for (const oldest of kept) return void kept.delete(oldest);
};

/**
 * What each gateway has read of some channels. A bus within the process has delivered a record to all readers when its
 * sender learns that it is stored; brokers hand it out afterwards, and a test has to wait for that.
 */
export class TakenRecords {
  private readonly sent = new Map<string, Set<string>>();
  private readonly readers = new Map<string, Set<Set<string>>>();

  constructor(...channels: readonly Pick<AnyChannel, 'name'>[]) {
    for (const { name } of channels) {
      this.sent.set(name, new Set());
      this.readers.set(name, new Set());
    }
  }

  /** The bus of a gateway. */
  watch(bus: MessageBus): MessageBus {
    return overlaid(bus, {
      send: (channel, record, acknowledgement) => {
        const sent = this.sent.get(channel.name);
        if (sent !== undefined) keep(sent, bytesOf(channel, record));
        return bus.send(channel, record, acknowledgement);
      },
      read: async (channel, options, onRecord) => {
        const readers = this.readers.get(channel.name);
        if (readers === undefined) return bus.read(channel, options, onRecord);
        const taken = new Set<string>();
        const reader = await bus.read(channel, options, (record, offset) => {
          onRecord(record, offset);
          keep(taken, bytesOf(channel, record));
        });
        // What was sent before is not for it.
        for (const sent of this.sent.get(channel.name) ?? []) taken.add(sent);
        readers.add(taken);
        return overlaid(reader, {
          close: () => {
            readers.delete(taken);
            return reader.close();
          },
        });
      },
    });
  }

  /** Resolves when every gateway that reads the channel has this record. */
  async reached<T>(channel: Channel<T>, record: T): Promise<void> {
    await this.allHave(channel.name, [bytesOf(channel, record)]);
  }

  /** Resolves when every gateway that reads the channel has what the gateways have sent until now. */
  async spread({ name }: Pick<AnyChannel, 'name'>): Promise<void> {
    await this.allHave(name, [...(this.sent.get(name) ?? [])]);
  }

  private allHave(name: string, records: readonly string[]): Promise<void> {
    const readers = this.readers.get(name) ?? new Set();
    const hasAll = (): boolean => [...readers].every((taken) => records.every((record) => taken.has(record)));
    return eventually(hasAll, { what: `${name} to reach every gateway` });
  }
}
