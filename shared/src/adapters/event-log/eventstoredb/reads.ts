import {
  BACKWARDS,
  END,
  ErrorType,
  START,
  type EventStoreDBClient,
  type ReadPosition,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import type { RecordedEvent } from '../../../domain/eventEnvelope.js';
import { EngineUnavailable } from '../../../ports/errors.js';
import type { LogPosition } from '../../../ports/eventLog.js';
import type { OutageReport } from '../../../runtime/outage.js';
import {
  asEngineFailure,
  isInvalidArgument,
  isOfType,
  isTransient,
  saysNoRecord,
  type Connection,
} from './connection.js';
import { buffered, Intake } from './intake.js';
import { logPositionOf, serverPositionOf, type EventReader } from './storedEvents.js';

type Batches<T> = AsyncGenerator<readonly T[], void>;
type Open = (client: EventStoreDBClient) => StreamingRead<ResolvedEvent>;

export interface ReadsDeps {
  readonly connection: Connection;
  readonly outage: OutageReport;
  readonly events: EventReader;
  /** A request is sent again after a silence of this length. */
  readonly answersWithinMs: number;
  /** A read rejects after a silence of this length in total. */
  readonly givesUpAfterMs: number;
}

/** Only the leader knows everything that has been acknowledged. */
const options = { requiresLeader: true };

/** Reads of a stream or of the whole log, each resumed once on another connection when it fails. */
export class Reads {
  private readonly deps: ReadsDeps;
  private readonly open = new Set<Intake<ResolvedEvent>>();
  private closed = false;

  constructor(deps: ReadsDeps) {
    this.deps = deps;
  }

  /** The events of a stream from a revision on; none for an unknown stream. */
  async *stream(
    name: string,
    fromRevision: number,
    maxCount = Number.MAX_SAFE_INTEGER,
  ): Batches<RecordedEvent> {
    let next = BigInt(fromRevision);
    const open: Open = (client) =>
      client.readStream(name, { ...options, fromRevision: next, maxCount }, buffered);
    for await (const batch of this.batches(open)) {
      next = (batch.at(-1)?.event?.revision ?? next) + 1n;
      const events = this.ofThisLog(batch);
      if (events.length > 0) yield events;
    }
  }

  /** The last event of a stream, undefined for an unknown one. */
  async last(name: string): Promise<RecordedEvent | undefined> {
    const open: Open = (client) =>
      client.readStream(name, { ...options, direction: BACKWARDS, fromRevision: END, maxCount: 1 }, buffered);
    for await (const batch of this.batches(open)) return this.ofThisLog(batch)[0];
    return undefined;
  }

  /** All events after a position, which must be one of this log. */
  async *all(after: LogPosition | undefined): Batches<RecordedEvent> {
    let from: ReadPosition = after === undefined ? START : serverPositionOf(after);
    let last = after;
    let found = false;
    // The server starts with the event at the position.
    for await (const batch of this.batches((client) =>
      client.readAll({ ...options, fromPosition: from }, buffered),
    )) {
      found = true;
      from = batch.at(-1)?.event?.position ?? from;
      const events = this.ofThisLog(batch).filter(({ position }) => last === undefined || position > last);
      last = events.at(-1)?.position ?? last;
      if (events.length > 0) yield events;
    }
    if (!found && after !== undefined) throw beyondTheEnd(after);
  }

  /** The first event of this log. */
  async first(): Promise<RecordedEvent | undefined> {
    for await (const [event] of this.all(undefined)) return event;
    return undefined;
  }

  /** The event at a position; undefined where none of this log is there, whatever the text. */
  async at(position: LogPosition): Promise<RecordedEvent | undefined> {
    try {
      const fromPosition = serverPositionOf(position);
      const open: Open = (client) => client.readAll({ ...options, fromPosition, maxCount: 1 }, buffered);
      for await (const batch of this.batches(open))
        return this.ofThisLog(batch).find((event) => event.position === position);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    return undefined;
  }

  /** Everything in the database, newest first, in growing pages: usually the first few events are enough. */
  async *backwards(): AsyncGenerator<ResolvedEvent, void> {
    let fromPosition: ReadPosition = END;
    for (let maxCount = 16; ; maxCount = Math.min(8 * maxCount, 4096)) {
      let count = 0;
      const open: Open = (client) =>
        client.readAll({ ...options, direction: BACKWARDS, fromPosition, maxCount }, buffered);
      for await (const batch of this.batches(open)) {
        count += batch.length;
        fromPosition = batch.at(-1)?.event?.position ?? fromPosition;
        yield* batch;
      }
      if (count < maxCount) return;
    }
  }

  /** Reads in progress reject. */
  close(): void {
    this.closed = true;
    for (const intake of this.open) intake.fail(hasBeenClosed());
  }

  private ofThisLog(batch: readonly ResolvedEvent[]): RecordedEvent[] {
    const { events } = this.deps;
    return batch.flatMap((resolved) => events.recorded(resolved) ?? []);
  }

  /** Calls `open` again, for the remaining events, when the connection is lost. */
  private async *batches(open: Open): Batches<ResolvedEvent> {
    const { connection, outage, answersWithinMs, givesUpAfterMs } = this.deps;
    for (let failures = 0; ; failures += 1) {
      const quietForMs = failures === 0 ? answersWithinMs : Math.max(givesUpAfterMs - answersWithinMs, 1);
      if (this.closed) throw hasBeenClosed();
      const { client } = connection;
      const stream = open(client);
      const intake = new Intake<ResolvedEvent>({ stream, cancel: () => stream.cancel() });
      this.open.add(intake);
      try {
        for (let batch; (batch = await intake.next(quietForMs)) !== undefined; failures = 0) {
          outage.over();
          yield batch;
        }
        outage.over();
        return;
      } catch (error) {
        if (isOfType(error, ErrorType.STREAM_NOT_FOUND)) return;
        if (isInvalidArgument(error) || (failures > 0 && saysNoRecord(error))) throw noSuchPosition(error);
        if (failures > 0 || !isTransient(error)) throw asEngineFailure(error, outage);
        connection.renew(client, error);
      } finally {
        this.open.delete(intake);
        intake.stop();
      }
    }
  }
}

/** A checkpoint of another log, or of a lost one: resuming from it would skip events. */
export const beyondTheEnd = (position: LogPosition): RangeError =>
  new RangeError(`The event log ends before the position ${position}`);

export const noSuchPosition = (cause?: unknown): RangeError =>
  new RangeError('The event log has no such position', cause === undefined ? {} : { cause });

export const hasBeenClosed = (): EngineUnavailable =>
  new EngineUnavailable('event log', { cause: new Error('It has been closed') });

type Event = NonNullable<ResolvedEvent['event']>;

export interface LogEnd {
  /** Position of the last event in the database, of any log. */
  readonly end: LogPosition | undefined;
  /** Position of the last event of this log. */
  readonly head: LogPosition | undefined;
}

/** Finds the last event of this log, from the end of the database backwards to where the previous search started. */
export const createLogEnd = (reads: Pick<Reads, 'backwards'>, events: EventReader) => {
  let previous: { readonly last: Event; readonly head: LogPosition | undefined } | undefined;

  return async (): Promise<LogEnd> => {
    const before = previous;
    let last: Event | undefined;
    const found = (head: LogPosition | undefined): LogEnd => {
      previous = last && { last, head };
      return { end: last && logPositionOf(last.position), head };
    };
    for await (const resolved of reads.backwards()) {
      const { event } = resolved;
      last ??= event;
      // The id is compared too: a database that was restored from a backup may have another event there.
      if (before && event && isSame(before.last, event)) return found(before.head);
      const recorded = events.recorded(resolved);
      if (recorded) return found(recorded.position);
    }
    return found(undefined);
  };
};

const isSame = (one: Event, other: Event): boolean =>
  one.id === other.id && one.position?.commit === other.position?.commit;
