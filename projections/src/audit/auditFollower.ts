import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { AuditIndex } from '@roomwire/shared/ports/auditIndex';
import type { EventLog, LogPosition, LogSubscription } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { auditEntry } from './auditEntry.js';
import { backOffMs, sleep } from '@roomwire/shared/runtime/waiting';

export interface AuditFollowerDeps {
  readonly log: EventLog;
  readonly index: AuditIndex;
  readonly logger: Logger;
  /** Longest wait before another try after a failure. */
  readonly maxBackoffMs?: number;
}

/**
 * Keeps the audit index up to date with the log, whatever happens to the engines. Beside the read models and not one of
 * them: an index that is made anew from a long log must hold up nobody.
 */
export const createAuditFollower = (deps: AuditFollowerDeps): Service => {
  const { log, index, logger, maxBackoffMs = 5_000 } = deps;
  const closing = new AbortController();
  let subscription: LogSubscription | undefined;
  let running: Promise<void> = Promise.resolve();

  const follow = async (): Promise<void> => {
    const onEvents = async (events: readonly RecordedEvent[]): Promise<void> => {
      const last = events.at(-1);
      if (last !== undefined) await index.record(events.map(auditEntry), last.position);
    };
    subscription = log.subscribeAll(await startingPoint(deps), { onEvents });
    if (closing.signal.aborted) await subscription.close();
    await subscription.done;
  };

  const run = async (): Promise<void> => {
    for (let failures = 1; !closing.signal.aborted; failures += 1) {
      try {
        await follow();
      } catch (error) {
        if (closing.signal.aborted) return;
        logger.warn('The audit index cannot be kept up now; trying again', { error });
        const waitMs = backOffMs({ firstMs: 100, longestMs: maxBackoffMs }, failures);
        await sleep(waitMs, closing.signal);
      }
    }
  };

  return {
    async start() {
      running = run();
    },
    close: once(async () => {
      closing.abort();
      await subscription?.close();
      await running;
    }),
  };
};

/** The checkpoint; the beginning for the index of another log, or of one that was restored from a backup. */
const startingPoint = async ({ log, index, logger }: AuditFollowerDeps): Promise<LogPosition | undefined> => {
  const [checkpoint, head] = [await index.checkpoint(), await log.head()];
  if (checkpoint === undefined || (head !== undefined && checkpoint <= head)) return checkpoint;
  logger.warn('The audit index is ahead of the event log and is made anew', { checkpoint, head });
  await index.clear();
  return undefined;
};
