import { Buffer } from 'node:buffer';
import { liveMessages, type LiveMessage } from '../../wire/bus/liveMessage.js';
import type { Clock } from '../../ports/clock.js';
import { EngineUnavailable } from '../../ports/errors.js';
import type { Logger } from '../../ports/logger.js';
import type { MessageStore, Replay, ReplayRange } from '../../ports/messageStore.js';
import { retentionMs, type RetentionClass } from '../../wire/bus/recordedMessages.js';
import { once } from '../../runtime/service.js';
import { createGroupCommit } from '../lmdb/groupCommit.js';
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

interface Append {
  readonly topic: string;
  readonly recordedAt: number;
  readonly expiresAt: number;
  readonly value: Buffer;
}

/** Limit of bytes that wait for the disk; further messages are refused. */
const maxWaitingBytes = 64 * 1024 * 1024;

/** Messages in an LMDB file. */
class EmbeddedMessageStore implements MessageStore {
  private readonly tables: MessageTables;
  private readonly clock: Clock;
  private readonly logger: Logger | undefined;
  private readonly timer: NodeJS.Timeout;
  private waitingBytes = 0;
  private removing: Promise<void> = Promise.resolve();
  private isOpen = true;

  private readonly commits = createGroupCommit<Append, void>({
    transact: (work) => this.tables.environment.transact(work),
    write: (appends) => this.write(appends),
    committed: () => undefined,
    bytesOf: ({ value }) => value.length,
  });

  constructor(
    tables: MessageTables,
    { clock = systemClock, logger, expiryEveryMs = 60_000 }: EmbeddedMessageStoreOptions,
  ) {
    this.tables = tables;
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
    const recordedAt = this.clock.now();
    const expiresAt = recordedAt + retentionMs(retention);
    this.waitingBytes += value.length;
    try {
      await this.commits.submit({ topic: topicKey(message.topic), recordedAt, expiresAt, value });
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
    await Promise.all([this.commits.idle(), this.removing]);
    await this.tables.environment.close();
  });

  /** Within a transaction. */
  private write(appends: readonly Append[]): void[] {
    const { messages, expiries, meta } = this.tables;
    let sequence = meta.get('sequence') ?? 0;
    for (const { topic, recordedAt, expiresAt, value } of appends) {
      sequence += 1;
      const key: MessageKey = [topic, sequence, recordedAt, expiresAt];
      messages.putSync(key, value);
      expiries.putSync([expiresAt, sequence], key);
    }
    meta.putSync('sequence', sequence);
    return appends.map(() => undefined);
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
