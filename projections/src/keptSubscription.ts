import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogPosition, LogSubscription } from '@roomwire/shared/ports/eventLog';
import type { OutageReport } from '@roomwire/shared/runtime/outage';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { backOffMs, sleep } from '@roomwire/shared/runtime/waiting';

export interface KeptSubscription {
  readonly log: Pick<EventLog, 'subscribeAll'>;
  /** How far the last subscription has come. */
  readonly checkpoint: () => Promise<LogPosition | undefined>;
  readonly onEvents: (events: readonly RecordedEvent[]) => Promise<void>;
  /** Told of each failure, and of what is done. */
  readonly outage: OutageReport;
  /** The longest wait between attempts. */
  readonly longestMs: number;
}

/** Subscribes to the log again and again while engines fail, until it is closed. */
export const keepSubscribed = ({
  log,
  checkpoint,
  onEvents,
  outage,
  longestMs,
}: KeptSubscription): Service => {
  const closing = new AbortController();
  let subscription: LogSubscription | undefined;
  let running: Promise<void> = Promise.resolve();
  let failures = 0;

  const works = (): void => {
    failures = 0;
    outage.over();
  };

  const follow = async (): Promise<void> => {
    subscription = log.subscribeAll(await checkpoint(), {
      async onEvents(events) {
        await onEvents(events);
        works();
      },
      onCaughtUp: works,
    });
    if (closing.signal.aborted) await subscription.close();
    await subscription.done;
  };

  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await follow();
      } catch (error) {
        if (closing.signal.aborted) return;
        outage.failed(error);
        failures += 1;
        await sleep(backOffMs({ firstMs: 100, longestMs }, failures), closing.signal);
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
