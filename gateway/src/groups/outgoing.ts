import { setTimeout as pause } from 'node:timers/promises';
import type { GroupRecord } from '@roomwire/shared/wire/bus/groupRecord';
import { roomRecords } from '@roomwire/shared/wire/bus/roomRecord';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import { backOffMs } from '@roomwire/shared/runtime/waiting';

export interface OutgoingDeps {
  readonly bus: Pick<MessageBus, 'send'>;
  readonly logger: Logger;
  /** Between two attempts at most. */
  readonly retryMs: number;
}

const mostMerged = 500;
const firstPauseMs = 50;

/**
 * What a gateway says of a group, in its order: a record waits until the one before it is stored, however long that takes.
 * What is said within a tick, and while a record is on its way, goes out in as few records as it can.
 */
export class Outgoing {
  private readonly deps: OutgoingDeps;
  private queue: GroupRecord[] = [];
  private sending: Promise<void> | undefined;
  private isOpen = true;

  constructor(deps: OutgoingDeps) {
    this.deps = deps;
  }

  push(news: GroupRecord): void {
    const last = this.queue.at(-1);
    const merged = last && mergedWith(last, news);
    if (merged) this.queue[this.queue.length - 1] = merged;
    else this.queue.push(news);
    this.sending ??= this.send();
  }

  /** Resolves when everything is stored. */
  async flushed(): Promise<void> {
    await this.sending;
  }

  /** Gives up what is not stored. */
  close(): void {
    this.isOpen = false;
  }

  private async send(): Promise<void> {
    await new Promise(setImmediate);
    for (let failures = 0; this.queue.length > 0 && this.isOpen;) {
      // It stays in front while it is on its way, and nothing is added to it.
      const [news] = this.queue.splice(0, 1) as [GroupRecord];
      while (!(await this.isStored(news)) && this.isOpen) {
        const waitMs = backOffMs({ firstMs: firstPauseMs, longestMs: this.deps.retryMs }, ++failures);
        await pause(waitMs, undefined, { ref: false });
      }
      failures = 0;
    }
    this.sending = undefined;
  }

  private async isStored(news: GroupRecord): Promise<boolean> {
    try {
      await this.deps.bus.send(roomRecords, news, 'stored');
      return true;
    } catch (error) {
      this.deps.logger.debug('News of a worker group did not reach the bus', { topic: news.topic, error });
      return false;
    }
  }
}

/** One record for both, by the number of the second; undefined where they cannot be one. */
const mergedWith = (one: GroupRecord, other: GroupRecord): GroupRecord | undefined => {
  if (one.kind === 'done' && other.kind === 'done' && one.ids.length < mostMerged) {
    return { ...other, ids: [...one.ids, ...other.ids] };
  }
  if (one.kind === 'assign' && other.kind === 'assign' && one.assignments.length < mostMerged) {
    return { ...other, assignments: [...one.assignments, ...other.assignments] };
  }
  return undefined;
};
