import { domainEventFeed } from '@roomwire/shared/contracts/bus/domainEventFeed';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogSubscription } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewChange, ViewStore } from '@roomwire/shared/ports/viewStore';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { changesOf } from './projectors/changesOf.js';

export interface ProjectionsDeps {
  readonly log: EventLog;
  readonly views: ViewStore;
  readonly bus: MessageBus;
  readonly logger: Logger;
}

export interface Projections extends Service {
  /** Resolves when the read models hold what was in the log at the start, rejects when they cannot be kept up. */
  readonly caughtUp: Promise<void>;
}

/**
 * Follows the event log, keeps the read models up to date, and passes each event on to the domain-events feed once
 * they show it. Goes on from the checkpoint that is kept with the documents, so a crash only repeats work.
 */
export const createProjections = ({ log, views, bus, logger }: ProjectionsDeps): Projections => {
  let subscription: LogSubscription | undefined;
  const progress = deferred();

  const project = async (events: readonly RecordedEvent[]): Promise<void> => {
    const last = events.at(-1);
    if (last === undefined) return;
    await views.apply({
      changes: events.flatMap((event) => changesOrNone(event, logger)),
      position: last.position,
    });
    await Promise.all(events.map((event) => bus.send(domainEventFeed, event, 'stored')));
  };

  return {
    caughtUp: progress.promise,

    async start() {
      subscription = log.subscribeAll(await startingPoint({ log, views, logger }), {
        onEvents: project,
        onCaughtUp: () => progress.resolve(),
      });
      subscription.done.catch((error: unknown) => {
        logger.error('The read models are no longer kept up', { error });
        progress.reject(error);
      });
    },

    close: once(async () => {
      await subscription?.close();
    }),
  };
};

/** The checkpoint; the beginning for read models of another log, or of one that was restored from a backup. */
const startingPoint = async ({ log, views, logger }: Omit<ProjectionsDeps, 'bus'>) => {
  const checkpoint = await views.checkpoint();
  const head = await log.head();
  if (checkpoint === undefined || (head !== undefined && checkpoint <= head)) return checkpoint;
  logger.warn('The read models are ahead of the event log and are built anew', { checkpoint, head });
  await views.clear();
  return undefined;
};

const deferred = () => {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((...settle) => ([resolve, reject] = settle));
  // Somebody may never ask; a failure is logged in any case.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
};

/** An event that cannot be read is passed over with an alarm: it must not hold up those behind it. */
const changesOrNone = (event: RecordedEvent, logger: Logger): readonly ViewChange[] => {
  try {
    return changesOf(event);
  } catch (error) {
    logger.error('An event was passed over', {
      eventId: event.id,
      type: event.type,
      position: event.position,
      error,
    });
    return [];
  }
};
