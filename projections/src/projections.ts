import { setTimeout as pause } from 'node:timers/promises';
import { UnknownEvent } from '@roomwire/shared/domain/events';
import { MadeFromAnotherLog, StaleBatch } from '@roomwire/shared/ports/errors';
import type { LogPosition, LogSubscription } from '@roomwire/shared/ports/eventLog';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import { Outage } from '@roomwire/shared/runtime/outage';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { markOf, oldestCascade } from './cascades.js';
import type { FeedMark } from './filledFeed.js';
import { followLog, type FollowDeps } from './followLog.js';
import { backOffMs, sleep } from '@roomwire/shared/runtime/waiting';
import { Sweeper } from './sweeper.js';
import { unknownEventRemedy } from './unknownEvents.js';

export interface ProjectionsOptions {
  /** A checkpoint that has not moved for this long while there are later events means that the leader is gone. */
  readonly takeOverAfterMs: number;
  /** The longest wait between retries. */
  readonly maxBackoffMs: number;
}

export interface ProjectionsDeps extends FollowDeps {
  readonly options?: Partial<ProjectionsOptions>;
}

export interface Projections extends Service {
  /**
   * Resolves when the read models hold what was in the log at the start, or another instance leads. Rejects with
   * `MadeFromAnotherLog` where they must stay as they are.
   */
  readonly caughtUp: Promise<void>;
  /** Why this instance cannot go on until it is replaced by a newer version, if so. */
  hindrance(): string | undefined;
  readonly collect: CollectMetrics;
}

const defaultOptions: ProjectionsOptions = { takeOverAfterMs: 5_000, maxBackoffMs: 5_000 };

/**
 * Keeps the read models up to date with the event log and retries while engines fail. Of several instances one leads: the
 * others find its checkpoint ahead of theirs and stand by until it stops moving. One that meets an event of a newer version
 * stops before it: the newer version takes over there.
 */
export const createProjections = (deps: ProjectionsDeps): Projections => {
  const { log, views, logger } = deps;
  const options = { ...defaultOptions, ...deps.options };
  const closing = new AbortController();
  let subscription: LogSubscription | undefined;
  let running: Promise<void> = Promise.resolve();
  let caughtUp: () => void = () => undefined;
  let refused: (reason: MadeFromAnotherLog) => void = () => undefined;
  const whenCaughtUp = new Promise<void>((resolve, reject) => ([caughtUp, refused] = [resolve, reject]));
  whenCaughtUp.catch(() => undefined);

  const outage = new Outage({
    logger,
    lost: 'The read models cannot be updated; retrying',
    back: 'The read models are updated again',
  });
  let written = 0;
  let isLeading = false;
  const mark: FeedMark = { position: undefined };
  let unknownEvents = 0;
  let stoppedBefore: UnknownEvent | undefined;
  const onWritten = (events: number): void => {
    written += events;
    outage.over();
  };

  const lead = async (): Promise<void> => {
    let isFilled = false;
    const sweeper = new Sweeper({ views, takeOverAfterMs: options.takeOverAfterMs });
    const onLed = (hasCascade: boolean): void => sweeper.written(hasCascade);
    const following = await followLog({ ...deps, onWritten, onLed }, mark, () => {
      isFilled = true;
      caughtUp();
      outage.over();
    });
    subscription = following;
    isLeading = true;
    const ended = new AbortController();
    void closeWhenLost(following, () => isFilled, ended.signal);
    const sweeping = sweeper.run(ended.signal);
    sweeping.catch(() => void following.close());
    try {
      if (closing.signal.aborted) await following.close();
      await following.done;
    } finally {
      isLeading = false;
      ended.abort();
      await sweeping.catch(() => undefined);
    }
    await sweeping;
  };

  /** Where the log is quiet no batch would meet that the read models are gone, and readers would wait for the next event. */
  const closeWhenLost = async (
    following: LogSubscription,
    isFilled: () => boolean,
    ended: AbortSignal,
  ): Promise<void> => {
    for (let areThere = true; areThere;) {
      await sleep(options.takeOverAfterMs, ended);
      if (ended.aborted) return;
      areThere = !isFilled() || (await views.admitsReaders().catch(() => true));
    }
    logger.warn('The read models were lost and are rebuilt');
    await following.close();
  };

  const standBy = async (): Promise<void> => {
    logger.info('Another instance writes the read models; standing by');
    let seen = await lookAtLeader();
    outage.over();
    for (let stillMs = 0; stillMs < options.takeOverAfterMs;) {
      const stepMs = Math.min(500, options.takeOverAfterMs);
      await pause(stepMs, undefined, { signal: closing.signal });
      const found = await lookAtLeader();
      if (!found.isBehind) caughtUp();
      stillMs = found.hasWork && found.mark === seen.mark ? stillMs + stepMs : 0;
      seen = found;
    }
    logger.warn('The instance that wrote the read models is gone; taking over', {
      checkpoint: seen.checkpoint,
    });
  };

  /** The mark moves while the instance that leads is at work. */
  const lookAtLeader = async () => {
    const [checkpoint, head] = await Promise.all([views.checkpoint(), log.head()]);
    const cascade = await oldestCascade(views);
    const isBehind = head !== undefined && (checkpoint === undefined || checkpoint < head);
    const mark = `${checkpoint} ${markOf(cascade)}`;
    return { checkpoint, mark, isBehind, hasWork: isBehind || cascade !== undefined };
  };

  /** Resolves when another instance has written the event, or the read models are of another log. */
  const stopBefore = async (unknown: UnknownEvent): Promise<void> => {
    const { id: eventId, type, schemaVersion, position } = unknown.event;
    if (stoppedBefore?.event.id !== eventId) {
      unknownEvents += 1;
      logger.error('The read models stop before an event of a newer version', {
        ...{ eventId, type, schemaVersion, position, remedy: unknownEventRemedy },
      });
    }
    stoppedBefore = unknown;
    outage.over();
    const seen = await views.checkpoint();
    const isPast = (checkpoint: LogPosition | undefined): boolean =>
      checkpoint !== seen || (checkpoint ?? '') >= position;
    for (let checkpoint = seen; !isPast(checkpoint); checkpoint = await views.checkpoint())
      await pause(Math.min(500, options.takeOverAfterMs), undefined, { signal: closing.signal });
    stoppedBefore = undefined;
  };

  const run = async (): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted;) {
      try {
        await lead().catch(async (error: unknown) => {
          if (error instanceof UnknownEvent) await stopBefore(error);
          else if (!(error instanceof StaleBatch)) throw error;
          return standBy();
        });
        failures = 0;
      } catch (error) {
        if (closing.signal.aborted) return;
        if (error instanceof MadeFromAnotherLog) refused(error);
        outage.failed(error);
        const waitMs = backOffMs({ firstMs: 100, longestMs: options.maxBackoffMs }, ++failures);
        await sleep(waitMs, closing.signal);
      }
    }
  };

  return {
    caughtUp: whenCaughtUp,
    collect: (sink) => {
      sink.value('roomwire_projected_events_total', written);
      sink.value('roomwire_projection_leader', isLeading ? 1 : 0);
      sink.value('roomwire_projection_unknown_events_total', unknownEvents);
    },
    hindrance: () =>
      stoppedBefore && `The read models stop: ${stoppedBefore.message}. Remedy: ${unknownEventRemedy}`,
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
