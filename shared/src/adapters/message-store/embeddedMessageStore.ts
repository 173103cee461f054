import { Buffer } from 'node:buffer';
import { liveMessages, type LiveMessage } from '../../wire/bus/liveMessage.js';
import type { Clock } from '../../ports/clock.js';
import { EngineUnavailable } from '../../ports/errors.js';
import type { Logger } from '../../ports/logger.js';
import type { MessageStore, Replay, ReplayRange } from '../../ports/messageStore.js';
import { retentionMs, type RetentionClass } from '../../wire/bus/recordedMessages.js';
import { once } from '../../runtime/service.js';
import { systemClock } from '../system/systemClock.js';
import {
  openMessageTables,
  topicKey,
  type MessageKey,
  type MessageTables,
  pagesOf,
  removeExpired,
  select,
} from './messageTables.js';

export interface EmbeddedMessageStoreOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Interval at which expired messages are removed. */
  readonly expiryEveryMs?: number;
}

/** Limit of bytes that wait for the disk; further messages are refused. */
const maxWaitingBytes = 64 * 1024 * 1024;

/** Messages in an LMDB file. */
class EmbeddedMessageStore implements MessageStore {
  private readonly tables: MessageTables;
  private readonly clock: Clock;
  private readonly logger: Logger | undefined;
  private readonly timer: NodeJS.Timeout;
  private lastSequence: number;
  private waitingBytes = 0;
  private writing: Promise<unknown> = Promise.resolve();
  private removing: Promise<void> = Promise.resolve();
  private isOpen = true;

  constructor(
    tables: MessageTables,
    { clock = systemClock, logger, expiryEveryMs = 60_000 }: EmbeddedMessageStoreOptions,
  ) {
    this.tables = tables;
    this.lastSequence = tables.meta.get('sequence') ?? 0;
    this.clock = clock;
    this.logger = logger;
    this.timer = setInterval(() => this.expire(), expiryEveryMs).unref();
    this.expire();
  }

  async append(message: LiveMessage, retention: RetentionClass): Promise<void> {
    const encoded = liveMessages.codec.encode(message);
    // Of the encoder's memory, which it does not use again.
    const value = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
    if (!this.isOpen || this.waitingBytes + value.length > maxWaitingBytes) {
      throw new EngineUnavailable('message store');
    }
    this.waitingBytes += value.length;
    this.writing = this.write(message.topic, retentionMs(retention), value);
    try {
      await this.writing;
    } catch (cause) {
      throw new EngineUnavailable('message store', { cause });
    } finally {
      this.waitingBytes -= value.length;
    }
  }

  async replay(internalTopic: string, range: ReplayRange): Promise<Replay> {
    if (!this.isOpen) throw new EngineUnavailable('message store');
    const selection = select(this.tables, topicKey(internalTopic), range, this.clock.now());
    const now = (): number => {
      if (!this.isOpen) throw new EngineUnavailable('message store');
      return this.clock.now();
    };
    return { count: selection.count, pages: pagesOf(this.tables, selection, now) };
  }

  readonly close = once(async () => {
    this.isOpen = false;
    clearInterval(this.timer);
    await Promise.all([this.writing.catch(() => undefined), this.removing]);
    await this.tables.environment.close();
  });

  /** Numbers of messages that did not come to the disk are left out. */
  private write(internalTopic: string, keptMs: number, value: Buffer): Promise<void> {
    const { environment, messages, expiries, meta } = this.tables;
    const sequence = ++this.lastSequence;
    const recordedAt = this.clock.now();
    const expiresAt = recordedAt + keptMs;
    const key: MessageKey = [topicKey(internalTopic), sequence, recordedAt, expiresAt];
    return environment.write(() => {
      void messages.put(key, value);
      void expiries.put([expiresAt, sequence], key);
      void meta.put('sequence', sequence);
    });
  }

  private expire(): void {
    this.removing = this.removing.then(() => this.removeExpired());
  }

  private async removeExpired(): Promise<void> {
    try {
      const time = () => (this.isOpen ? this.clock.now() : undefined);
      const messages = await removeExpired(this.tables, time);
      if (messages > 0) this.logger?.debug('Recorded messages have expired', { messages });
    } catch (error) {
      this.logger?.error('Recorded messages that have expired cannot be removed', { error });
    }
  }
}

interface Files {
  file(name: string): string;
}

export const openEmbeddedMessageStore = async (
  folder: Files,
  options: EmbeddedMessageStoreOptions = {},
): Promise<MessageStore> =>
  new EmbeddedMessageStore(await openMessageTables(folder.file('recorded.lmdb')), options);
