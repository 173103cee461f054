import { START, streamNameFilter, type AllStreamResolvedEvent, type Position } from '@eventstore/db-client';
import type { RecordedEvent } from '../../../domain/eventEnvelope.js';
import type { LogPosition, LogSubscriber } from '../../../ports/eventLog.js';
import type { Connection } from './connection.js';
import { isInvalidArgument } from './failures.js';
import { buffered, Intake } from './intake.js';
import type { LogEnd } from './logEnd.js';
import { isKnown, logPositionOf, placeOf } from './place.js';
import { beyondTheEnd, noSuchPosition } from './reads.js';
import { watchForStall, type StallWatch } from './stallWatch.js';
import type { EventReader } from './storedForm.js';

export interface SessionDeps {
  readonly connection: Connection;
  readonly lookForEnd: () => Promise<LogEnd>;
  readonly events: EventReader;
  readonly streamPrefix: string;
  /** How often a subscription that hears nothing is compared with the end of the log. */
  readonly stallCheckMs: number;
}

/** How far the subscriber has got, from one session to the next. */
export interface Progress {
  /** The last event that it has dealt with. */
  handled: LogPosition | undefined;
  /** Up to there, the server says, there was nothing more for it, at a time when it had nothing to do. */
  checkpoint: LogPosition | undefined;
}

/** What ends the subscription and not just the session. */
class Final extends Error {
  override readonly name = 'Final';
}

/** In windows of 32 events looked at, those that are passed over included. */
const checkpointInterval = 8;

/** One subscription to the server, until it breaks. */
export class SubscriptionSession {
  readonly #deps: SessionDeps;
  readonly #progress: Progress;
  readonly #subscriber: LogSubscriber;
  #intake: Intake<AllStreamResolvedEvent> | undefined;
  #stopped = false;

  constructor(deps: SessionDeps, progress: Progress, subscriber: LogSubscriber) {
    this.#deps = deps;
    this.#progress = progress;
    this.#subscriber = subscriber;
  }

  /** Resolves with the reason why it has ended; rejects when there must not be another one. */
  async run(): Promise<unknown> {
    let watch: StallWatch | undefined;
    try {
      const end = await this.#deps.lookForEnd();
      this.#requireWithin(end);
      if (this.#stopped) return undefined;
      const intake = this.#open(this.#startingPoint(end));
      watch = watchForStall(this.#deps, intake, this.#progress);
      await this.#handOver(intake, end.head);
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
    this.#stopped = true;
    this.#intake?.stop();
  }

  #requireWithin({ head }: LogEnd): void {
    const { handled } = this.#progress;
    if (handled === undefined || (head !== undefined && handled <= head)) return;
    throw new Final('No event stands there', { cause: beyondTheEnd(handled) });
  }

  /**
   * The checkpoint, which spares the server looking again at what it has passed over: but only where it can do no harm,
   * because there is nothing to come that it could skip. Some servers have told wrong ones.
   */
  #startingPoint({ head, end }: LogEnd): LogPosition | undefined {
    const { handled, checkpoint } = this.#progress;
    if (checkpoint === undefined || end === undefined || checkpoint > end) return handled;
    return head === undefined || (handled !== undefined && head <= handled) ? checkpoint : handled;
  }

  #open(after: LogPosition | undefined): Intake<AllStreamResolvedEvent> {
    const { connection, streamPrefix } = this.#deps;
    // What `checkpointReached` throws would make the subscription go quiet for ever.
    const checkpoints = {
      checkpointInterval,
      checkpointReached: (_subscription: unknown, place: Position) => this.#passOver(place),
    };
    const stream = connection.client.subscribeToAll(
      {
        requiresLeader: true,
        fromPosition: after === undefined ? START : placeOf(after),
        filter:
          streamPrefix === ''
            ? streamNameFilter({ regex: '^[^$]', ...checkpoints })
            : streamNameFilter({ prefixes: [streamPrefix], ...checkpoints }),
      },
      buffered,
    );
    this.#intake = new Intake({ stream, cancel: () => stream.unsubscribe() });
    return this.#intake;
  }

  async #handOver(intake: Intake<AllStreamResolvedEvent>, head: LogPosition | undefined): Promise<void> {
    const progress = this.#progress;
    let caughtUp = false;
    for (;;) {
      if (!caughtUp && (head === undefined || (progress.handled ?? '') >= head)) {
        caughtUp = true;
        await this.#tell(async () => this.#subscriber.onCaughtUp?.());
      }
      const batch = await intake.next();
      if (batch === undefined) return;
      const events = this.#newOnes(batch);
      if (events.length > 0) await this.#tell(() => this.#subscriber.onEvents(events));
      progress.handled = events.at(-1)?.position ?? progress.handled;
      progress.checkpoint = undefined;
    }
  }

  /** A server that repeats itself must not make the subscriber do so. */
  #newOnes(batch: readonly AllStreamResolvedEvent[]): RecordedEvent[] {
    const { handled } = this.#progress;
    return batch.flatMap((resolved) => {
      const event = this.#deps.events.recorded(resolved);
      return event && (handled === undefined || event.position > handled) ? event : [];
    });
  }

  async #tell(subscriber: () => Promise<void>): Promise<void> {
    if (this.#stopped) return;
    await subscriber().catch((cause: unknown) => {
      throw new Final('The subscriber has failed', { cause });
    });
  }

  /**
   * The server has looked at everything up to there. This is said when the message arrives, so it holds only while no
   * event that came before it is still waiting or in work.
   */
  #passOver(place: Position): void {
    if (this.#intake?.isIdle && isKnown(place)) this.#progress.checkpoint = logPositionOf(place);
  }
}
