import type { LogPosition, LogSubscriber, LogSubscription } from '../../../ports/eventLog.js';
import { buffered, Intake } from './intake.js';
import { watchForStall, type StallWatch } from './stallWatch.js';
import { beyondTheEnd, noSuchPosition, type LogEnd } from './reads.js';
import { START, streamNameFilter, type AllStreamResolvedEvent, type Position } from '@eventstore/db-client';
import type { RecordedEvent } from '../../../domain/eventEnvelope.js';
import { createConnection, isInvalidArgument, type Connection } from './connection.js';
import { isKnown, logPositionOf, serverPositionOf, type EventReader } from './storedEvents.js';
import { EngineUnavailable } from '../../../ports/errors.js';
import type { Random } from '../../../ports/random.js';
import type { OutageReport } from '../../../runtime/outage.js';
import { once } from '../../../runtime/service.js';
import { backOffMs, chanceOf, sleep, withJitter } from '../../../runtime/waiting.js';

export interface SessionDeps {
  readonly connection: Connection;
  readonly lookForEnd: () => Promise<LogEnd>;
  readonly readAt: (position: LogPosition) => Promise<RecordedEvent | undefined>;
  readonly events: EventReader;
  readonly streamPrefix: string;
  /** How often an idle subscription is compared with the end of the log. */
  readonly stallCheckMs: number;
}

/** The subscriber's progress, across sessions. */
export interface Progress {
  /** The last event that it has handled. */
  handled: LogPosition | undefined;
  /** Its id, as far as this subscription has read it. */
  handledId?: string | undefined;
  /** The server's checkpoint: no further event up to there. Taken only while the subscriber was idle. */
  checkpoint: LogPosition | undefined;
}

/** An error that ends the subscription and not just the session. */
class Final extends Error {
  override readonly name = 'Final';
}

/** In windows of 32 events, including those that are filtered out. */
const checkpointInterval = 8;

/** One subscription to the server, until it breaks. */
class SubscriptionSession {
  private readonly deps: SessionDeps;
  private readonly progress: Progress;
  private readonly subscriber: LogSubscriber;
  private intake: Intake<AllStreamResolvedEvent> | undefined;
  private stopped = false;

  constructor(deps: SessionDeps, progress: Progress, subscriber: LogSubscriber) {
    this.deps = deps;
    this.progress = progress;
    this.subscriber = subscriber;
  }

  /** Resolves with the reason of its end; rejects where the subscription must end too. */
  async run(): Promise<unknown> {
    let watch: StallWatch | undefined;
    try {
      const end = await this.deps.lookForEnd();
      this.requireWithin(end);
      await this.requireHandled();
      if (this.stopped) return undefined;
      const intake = this.open(this.startingPoint(end));
      watch = watchForStall(this.deps, intake, this.progress);
      await this.handOver(intake, end.head);
      return new Error('The server has ended the subscription');
    } catch (error) {
      if (error instanceof Final) throw error.cause;
      if (isInvalidArgument(error)) throw noSuchPosition(error);
      return error;
    } finally {
      watch?.stop();
      this.stop();
    }
  }

  stop(): void {
    this.stopped = true;
    this.intake?.stop();
  }

  private requireWithin({ head }: LogEnd): void {
    const { handled } = this.progress;
    if (handled === undefined || (head !== undefined && handled <= head)) return;
    throw new Final('No event stands there', { cause: beyondTheEnd(handled) });
  }

  /** A server that was put back to an earlier time may have another event there, or none: it would answer like one that is unavailable. */
  private async requireHandled(): Promise<void> {
    const { handled, handledId } = this.progress;
    if (handled === undefined) return;
    const event = await this.deps.readAt(handled);
    if (event === undefined || (handledId !== undefined && event.id !== handledId))
      throw new Final('Another history', { cause: noSuchPosition() });
  }

  /**
   * The checkpoint, which saves the server from reading filtered events again. It is used only where it cannot skip an event:
   * some servers have sent wrong ones.
   */
  private startingPoint({ head, end }: LogEnd): LogPosition | undefined {
    const { handled, checkpoint } = this.progress;
    if (checkpoint === undefined || end === undefined || checkpoint > end) return handled;
    return head === undefined || (handled !== undefined && head <= handled) ? checkpoint : handled;
  }

  private open(after: LogPosition | undefined): Intake<AllStreamResolvedEvent> {
    const { connection, streamPrefix } = this.deps;
    // An error thrown by `checkpointReached` would silence the subscription for good.
    const checkpoints = {
      checkpointInterval,
      checkpointReached: (_subscription: unknown, place: Position) => this.onCheckpoint(place),
    };
    const stream = connection.client.subscribeToAll(
      {
        requiresLeader: true,
        fromPosition: after === undefined ? START : serverPositionOf(after),
        filter:
          streamPrefix === ''
            ? streamNameFilter({ regex: '^[^$]', ...checkpoints })
            : streamNameFilter({ prefixes: [streamPrefix], ...checkpoints }),
      },
      buffered,
    );
    this.intake = new Intake({ stream, cancel: () => stream.unsubscribe() });
    return this.intake;
  }

  private async handOver(
    intake: Intake<AllStreamResolvedEvent>,
    head: LogPosition | undefined,
  ): Promise<void> {
    const progress = this.progress;
    let caughtUp = false;
    for (;;) {
      if (!caughtUp && (head === undefined || (progress.handled ?? '') >= head)) {
        caughtUp = true;
        await this.notify(async () => this.subscriber.onCaughtUp?.());
      }
      const batch = await intake.next();
      if (batch === undefined) return;
      const events = this.newOnes(batch);
      if (events.length > 0) await this.notify(() => this.subscriber.onEvents(events));
      const last = events.at(-1);
      if (last) [progress.handled, progress.handledId] = [last.position, last.id];
      progress.checkpoint = undefined;
    }
  }

  /** Drops events that the server has sent before. */
  private newOnes(batch: readonly AllStreamResolvedEvent[]): RecordedEvent[] {
    const { handled } = this.progress;
    return batch.flatMap((resolved) => {
      const event = this.deps.events.recorded(resolved);
      return event && (handled === undefined || event.position > handled) ? event : [];
    });
  }

  private async notify(subscriber: () => Promise<void>): Promise<void> {
    if (this.stopped) return;
    await subscriber().catch((cause: unknown) => {
      throw new Final('The subscriber has failed', { cause });
    });
  }

  /**
   * The server has read everything up to there. The client reports it on arrival, so it holds only while no earlier event is
   * still waiting or being handled.
   */
  private onCheckpoint(place: Position): void {
    if (this.intake?.isIdle && isKnown(place)) this.progress.checkpoint = logPositionOf(place);
  }
}

export interface SubscriptionDeps extends Omit<SessionDeps, 'connection'> {
  readonly url: string;
  readonly outage: OutageReport;
  readonly random: Random;
}

const betweenSessions = { firstMs: 100, longestMs: 3_000 };

/**
 * One session with the server after another, each resuming where the subscriber is: the client does not resume a
 * subscription that has failed, ended without an error, or gone silent.
 */
export const subscribe = (
  deps: SubscriptionDeps,
  after: LogPosition | undefined,
  subscriber: LogSubscriber,
): LogSubscription => {
  const closing = new AbortController();
  const { signal } = closing;
  // A connection of its own, so that its failures do not affect appends.
  const connection = createConnection(deps.url);
  const progress: Progress = { handled: after, checkpoint: undefined };
  let session: SubscriptionSession | undefined;

  const follow = async (): Promise<void> => {
    await Promise.resolve(); // The caller gets its subscription before the first event.
    if (after !== undefined) serverPositionOf(after);
    for (let failures = 1; !signal.aborted; failures += 1) {
      const { client } = connection;
      const before = progress.handled;
      session = new SubscriptionSession({ ...deps, connection }, progress, subscriber);
      const reason = await session.run();
      if (signal.aborted) return;
      if (progress.handled !== before) failures = 1;
      const resumesInMs = withJitter(backOffMs(betweenSessions, failures), chanceOf(deps.random));
      // A server that could not be read has been reported.
      if (!(reason instanceof EngineUnavailable))
        deps.outage.failed(new EngineUnavailable('event log', { cause: reason }));
      connection.renew(client, reason);
      await sleep(resumesInMs, signal);
    }
  };

  const done = follow().finally(() => connection.close());
  done.catch(() => undefined); // An unobserved `done` must not end the process.
  return {
    done,
    close: once(async () => {
      closing.abort();
      session?.stop();
      await done.catch(() => undefined);
    }),
  };
};
