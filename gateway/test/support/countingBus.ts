import {
  unknownOffset,
  type ChannelReader,
  type MessageBus,
  type OnRecord,
} from '@roomwire/shared/ports/messageBus';
import { versionsOf, type Channel } from '@roomwire/shared/wire/bus/channel';
import { gatewayNews, type GatewayNews } from '@roomwire/shared/wire/bus/gatewayNews';
import { presenceNews, type PresenceNews } from '@roomwire/shared/wire/bus/presenceNews';
import type { Manner, News } from './manner.js';

interface Reader {
  readonly channel: string;
  readonly take: (news: News) => void;
}

/** Hands each record to all gateways at once, and keeps what was sent. */
export class CountingBus {
  /** By channel, in order. */
  readonly news: GatewayNews[] = [];
  readonly presences: PresenceNews[] = [];
  /** A record is stored when this has resolved. */
  stored: (news: News) => Promise<void> = () => Promise.resolve();
  private readonly readers = new Set<Reader>();
  /** Sent during a delivery: all readers get records in one order. */
  private readonly waiting: { readonly channel: string; readonly news: News }[] = [];
  private isDelivering = false;

  port({ writes = (news) => news, reads = () => true, knowsReaders = true }: Manner = {}): MessageBus {
    const refuse = (): never => {
      throw new Error('This bus has channels only');
    };
    return {
      send: async (channel, record) => this.send(channel.name, writes(record as News)),
      read: async <T>({ name }: Channel<T>, _: unknown, onRecord: OnRecord<T>) =>
        this.read(name, (news) => {
          if (reads(news)) onRecord(news as T, 0);
        }),
      put: refuse,
      work: refuse,
      versionOf: (topic) => versionsOf(topic)[knowsReaders ? 'newest' : 'previous'],
      reachable: true,
      close: () => Promise.resolve(),
    };
  }

  private async send(channel: string, news: News): Promise<number> {
    if (channel === gatewayNews.name) this.news.push(news as GatewayNews);
    if (channel === presenceNews.name) this.presences.push(news as PresenceNews);
    this.waiting.push({ channel, news });
    this.deliver();
    await this.stored(news);
    return unknownOffset;
  }

  private deliver(): void {
    if (this.isDelivering) return;
    this.isDelivering = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift())
      for (const reader of this.readers) if (reader.channel === next.channel) reader.take(next.news);
    this.isDelivering = false;
  }

  private read(channel: string, take: (news: News) => void): ChannelReader {
    const reader = { channel, take };
    this.readers.add(reader);
    return {
      subscribe: () => Promise.resolve(),
      unsubscribe: () => undefined,
      next: () => undefined,
      close: async () => void this.readers.delete(reader),
    };
  }
}
