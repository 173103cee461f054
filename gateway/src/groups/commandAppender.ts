import { setTimeout as pause } from 'node:timers/promises';
import type { GroupRecord } from '@roomwire/shared/wire/bus/groupRecord';
import { roomRecords } from '@roomwire/shared/wire/bus/roomRecord';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import { backOffMs } from '@roomwire/shared/runtime/waiting';

export interface CommandAppenderDeps {
  readonly bus: Pick<MessageBus, 'send'>;
  readonly logger: Logger;
  /** The longest pause between two attempts. */
  readonly retryMs: number;
}

const maxMerged = 500;
const firstPauseMs = 50;

/**
 * Appends the commands of this gateway to the log in their order: each waits until the one before it is stored, and is
 * retried until the bus accepts it. Waiting commands are merged into one record where possible.
 */
export class CommandAppender {
  private readonly deps: CommandAppenderDeps;
  private queue: GroupRecord[] = [];
  private sending: Promise<void> | undefined;
  private isOpen = true;

  constructor(deps: CommandAppenderDeps) {
    this.deps = deps;
  }

  push(record: GroupRecord): void {
    const last = this.queue.at(-1);
    const merged = last && mergedWith(last, record);
    if (merged) this.queue[this.queue.length - 1] = merged;
    else this.queue.push(record);
    this.sending ??= this.send();
  }

  /** Resolves when everything is stored. */
  async flushed(): Promise<void> {
    await this.sending;
  }

  /** Discards the commands that are not stored yet. */
  close(): void {
    this.isOpen = false;
  }

  private async send(): Promise<void> {
    await new Promise(setImmediate);
    while (this.queue.length > 0 && this.isOpen) {
      // Dequeued before it is sent, so that no later command is merged into it.
      const [record] = this.queue.splice(0, 1) as [GroupRecord];
      for (let failures = 1; !(await this.isStored(record)) && this.isOpen; failures++) {
        const waitMs = backOffMs({ firstMs: firstPauseMs, longestMs: this.deps.retryMs }, failures);
        await pause(waitMs, undefined, { ref: false });
      }
    }
    this.sending = undefined;
  }

  private async isStored(record: GroupRecord): Promise<boolean> {
    try {
      await this.deps.bus.send(roomRecords, record, 'stored');
      return true;
    } catch (error) {
      const { topic, group } = record;
      this.deps.logger.debug('A command of a worker group was not stored yet', { topic, group, error });
      return false;
    }
  }
}

/** One record for both, with the number of the second; undefined if they cannot be merged. */
const mergedWith = (one: GroupRecord, other: GroupRecord): GroupRecord | undefined => {
  if (one.kind === 'done' && other.kind === 'done' && one.ids.length < maxMerged) {
    return { ...other, ids: [...one.ids, ...other.ids] };
  }
  if (one.kind === 'assign' && other.kind === 'assign' && one.assignments.length < maxMerged) {
    return { ...other, assignments: [...one.assignments, ...other.assignments] };
  }
  return undefined;
};
