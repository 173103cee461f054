import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Random } from '@roomwire/shared/ports/random';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { Target } from './writeModel.js';
import { createStreamWriter, type CommandContext } from './streamWriter.js';
import type { StateSnapshots } from './stateSnapshots.js';
import { WriterCache, type WriterCacheBounds } from './writerCache.js';
import { Rejection } from './rejections.js';

export interface CommandHandler {
  /**
   * Decides a command on the stream as it is now, appends its events, and resolves with `select` of the state after
   * it, once the read models show it (or the bounded wait for them is over).
   *
   * Commands on one stream that wait at the same time are decided one after the other and appended together, so
   * a busy stream costs one sync for many commands. Rejects with the decider's `Rejection`, with `RevisionConflict`
   * when other processes won each time, or with `EngineUnavailable`.
   */
  execute<State, Command, Event extends DomainEvent, Result = void>(
    target: Target<State, Command, Event>,
    command: Command,
    context: CommandContext,
    select?: (state: State) => Result,
  ): Promise<Result>;

  /** A strongly consistent read: `select` of the state as it is stored now. */
  inspect<State, Command, Event extends DomainEvent, Result>(
    target: Target<State, Command, Event>,
    select: (state: State) => Result,
  ): Promise<Result>;

  /** Removes the snapshots of streams whose owner has been deleted. Never rejects: what stays goes when it is too old. */
  forget(streams: readonly string[]): Promise<void>;
}

export interface CommandHandlerDeps {
  readonly log: EventLog;
  readonly views: ViewReader;
  readonly random: Random;
  readonly logger: Logger;
  /** Called for each answer that is sent before the read models show the write. */
  readonly onWaitExpired?: () => void;
  readonly tracing?: Tracing | undefined;
  readonly mostCached?: WriterCacheBounds | undefined;
  /** Of long streams; without them each is read from its beginning when it is needed. */
  readonly snapshots?: StateSnapshots | undefined;
}

/** How long an answer is held back for the read models. */
export const readModelsWaitMs = 2_000;

export const createCommandHandler = (deps: CommandHandlerDeps): CommandHandler => {
  const { log, views, random, logger, onWaitExpired, tracing, mostCached, snapshots } = deps;
  const writers = new WriterCache(
    (stream) => createStreamWriter({ stream, log, random, kept: snapshots }),
    mostCached,
  );

  const readable = async (position: string | undefined, requestId: string): Promise<void> => {
    if (position === undefined || (await views.reached(position, readModelsWaitMs))) return;
    onWaitExpired?.();
    logger.warn('Read models are behind; answering before they show the write', { requestId, position });
  };

  return {
    async execute({ stream, decider, isUnwritten }, command, context, select) {
      const { result, position } = await traced(tracing, 'append events', context, (inTrace) =>
        writers.submit(stream, decider, {
          decide: (state) => decider.decide(command, state),
          context: inTrace,
          select: select ?? (() => undefined as never),
          isUnwritten,
        }),
      );
      await traced(tracing, 'wait for read models', context, () => readable(position, context.requestId));
      return result;
    },

    async inspect({ stream, decider }, select) {
      const { result } = await writers.submit(stream, decider, { decide: () => [], select });
      return result;
    },

    async forget(streams) {
      await snapshots?.forget(streams);
    },
  };
};

/** Performs a part of a command as a span of its trace, where it is traced. */
export const traced = async <T>(
  tracing: Tracing | undefined,
  name: string,
  context: CommandContext,
  perform: (context: CommandContext) => Promise<T>,
): Promise<T> => {
  const { traceparent: parent } = context;
  const span = parent === undefined ? undefined : tracing?.begin(name, { kind: 'internal', parent });
  if (span === undefined) return perform(context);
  try {
    const result = await perform({ ...context, traceparent: span.traceparent });
    span.end();
    return result;
  } catch (error) {
    // A rejection is not an error of the service.
    span.end(error instanceof Rejection ? undefined : error);
    throw error;
  }
};
