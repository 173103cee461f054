import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { UnknownEvent } from '@roomwire/shared/domain/events';
import type { EventLog, LogPosition, LogSubscription } from '@roomwire/shared/ports/eventLog';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Span, Tracing } from '@roomwire/shared/ports/tracing';
import type { ViewChange, ViewStore } from '@roomwire/shared/ports/viewStore';
import type { CallPayloadDeps } from '@roomwire/shared/runtime/callPayloads';
import { sleep } from '@roomwire/shared/runtime/waiting';
import { quietSpanMs } from '@roomwire/shared/wire/bus/feedSpans';
import { endingWithError } from '@roomwire/shared/runtime/endingWithError';
import { withCascade } from './cascades.js';
import { feedEvents, feedProgress } from './feed.js';
import { beginFeed, type FeedMark, type FilledFeed } from './filledFeed.js';
import { continues, originsIn, type OriginDeps } from './origins.js';
import { GatheredBatches } from './gatheredBatches.js';
import { changesOf } from './projectors.js';
import { upToUnknown } from './unknownEvents.js';

export interface FollowDeps extends OriginDeps {
  readonly views: ViewStore;
  readonly bus: MessageBus;
  /** What is sent again when a dead letter is redriven. */
  readonly payloads: CallPayloadDeps['payloads'];
  readonly clock: Clock;
  /** Called after each batch that is written. */
  readonly onLed?: (hasCascade: boolean) => void;
  /** Called after each batch that is written and published. */
  readonly onWritten?: (events: number) => void;
  readonly tracing?: Tracing | undefined;
}

/**
 * Resumes from the checkpoint: writes what the log holds by now, feeds what a crash has kept from the feed, and then writes the events to
 * the read models, batch by batch, and publishes each batch to the feed while the next one is written. The subscription's `done` rejects with `StaleBatch` when another projector is ahead, with
 * `UnknownEvent` once everything before an event of a newer version is written and published, or with the error of an engine.
 */
export const followLog = async (
  deps: FollowDeps,
  mark: FeedMark,
  onCaughtUp: () => void,
): Promise<LogSubscription> => {
  const { log, views, logger } = deps;
  const head = await log.head();
  const checkpoint = await startingPoint(deps, mark);
  const originOf = await originsIn(log);
  const feed = await beginFeed(deps, mark, head);
  let writtenUpTo = checkpoint;

  /** Where nobody reads, nobody waits, and what is created and deleted need not be written at all. */
  const changesIn = (events: readonly RecordedEvent[]): readonly ViewChange[] => {
    const { isFilling } = feed;
    return events.flatMap((event) => {
      const changes = changesOrNone(event, logger);
      return isFilling ? changes : withCascade(event, changes);
    });
  };
  const write = async (events: readonly RecordedEvent[]): Promise<void> => {
    const origin = originOf(events);
    const spans = deps.tracing && traceEvents(deps.tracing, events, deps.clock);
    const changes = [...feedProgress(mark.position), ...changesIn(events)];
    await views
      .apply({ changes, position: origin.position, after: writtenUpTo, origin })
      .catch(endingWithError(...(spans ?? [])));
    writtenUpTo = origin.position;
    deps.onLed?.(changes.some((change) => 'put' in change && change.put === 'cascades'));
    spans?.forEach((span) => span.end());
  };
  const afterwards = async (events: readonly RecordedEvent[]): Promise<void> => {
    await feed.written(events, positionOfLast(events));
    deps.onWritten?.(events.length);
  };

  /** They are written and fed again with their batch, as after a crash. */
  const ahead = async (events: readonly RecordedEvent[]): Promise<void> => {
    if (feed.isFilling || !(await views.applyAhead(changesIn(events)))) return;
    await feedEvents(deps.bus, events);
  };

  let caughtUp = 0;
  if (!feed.isFilling)
    for await (const events of backlog(log, checkpoint)) {
      await write(events);
      caughtUp += events.length;
    }
  await feed.resume(writtenUpTo);
  if (caughtUp > 0) deps.onWritten?.(caughtUp);
  const batches = new GatheredBatches({ write, afterwards, ahead }, () => void subscription.close());
  const subscription = log.subscribeAll(writtenUpTo, {
    async onEvents(events) {
      const { readable, unknown } = upToUnknown(events);
      if (readable.length > 0) await batches.add(readable);
      if (unknown === undefined) return;
      await batches.done();
      throw new UnknownEvent(unknown);
    },
    // A failure is reported by `done`.
    onCaughtUp: () => void batches.done().then(onCaughtUp, () => undefined),
  });
  const ended = new AbortController();
  void sayWhileQuiet(feed, ended.signal);
  const done = subscription.done.finally(() => batches.done()).finally(() => ended.abort());
  done.catch(() => undefined);
  return {
    done,
    close: async () => {
      await subscription.close();
      await done.catch(() => undefined);
    },
  };
};

/** Best effort: who hears nothing does not know whether it misses something, and reads. */
const sayWhileQuiet = async (feed: FilledFeed, ended: AbortSignal): Promise<void> => {
  while (!ended.aborted) {
    await sleep(quietSpanMs, ended);
    if (!ended.aborted) await feed.sayIfComplete().catch(() => undefined);
  }
};

/** Revocations that a crash kept from the feed do not wait for more than this. */
const mostOfBacklog = 2_000;

/**
 * What the log already holds beyond the checkpoint, up to a bound and to an event of a newer version. It is written before anything is fed: a
 * gateway that learns of a change must not act on a state that a later change ended before its client came.
 */
async function* backlog(
  log: EventLog,
  checkpoint: LogPosition | undefined,
): AsyncIterable<readonly RecordedEvent[]> {
  let count = 0;
  for await (const events of log.readAll(checkpoint)) {
    const { readable, unknown } = upToUnknown(events);
    if (readable.length > 0) yield readable;
    count += readable.length;
    if (unknown !== undefined || count >= mostOfBacklog) return;
  }
}

const positionOfLast = (events: readonly RecordedEvent[]): LogPosition => {
  const last = events.at(-1);
  if (last === undefined) throw new RangeError('A batch has at least one event');
  return last.position;
};

/** The checkpoint; the beginning where the read models do not fit the log, or were lost. */
const startingPoint = async (deps: FollowDeps, mark: FeedMark): Promise<LogPosition | undefined> => {
  const { views } = deps;
  const made = { name: 'read models', origin: () => views.origin() };
  const checkpoint = await views.checkpoint();
  if (checkpoint !== undefined && (await continues(deps, made, checkpoint))) return checkpoint;
  // It is not known either what of this log was fed.
  if (checkpoint !== undefined) mark.position = undefined;
  // Of read models that were lost, the indexes are missing too.
  if (checkpoint !== undefined || !(await views.admitsReaders())) await views.clear();
  return undefined;
};

/**
 * A malformed event of a known type is skipped and logged as an error: no version could read it, and it must not hold up the
 * events behind it. Throws `UnknownEvent` for one that a newer version reads.
 */
export const changesOrNone = (event: RecordedEvent, logger: Logger): readonly ViewChange[] => {
  try {
    return changesOf(event);
  } catch (error) {
    if (error instanceof UnknownEvent) throw error;
    const { id, type, position } = event;
    logger.error('An event was skipped', { eventId: id, type, position, error });
    return [];
  }
};

/** A rebuild of the read models reads the whole history; no trace is still open for events older than this. */
const mostRecentMs = 600_000;

/** A span for each event of a batch whose command was traced, from its arrival until it is in the read models. */
export const traceEvents = (
  tracing: Tracing,
  events: readonly RecordedEvent[],
  clock: Clock,
): readonly Span[] => {
  const oldest = new Date(clock.now() - mostRecentMs).toISOString();
  const spans: Span[] = [];
  for (const { type, metadata, position } of events) {
    const { traceparent: parent, occurredAt } = metadata;
    if (parent === undefined || occurredAt < oldest) continue;
    const attributes = { 'roomwire.event_type': type, 'roomwire.position': position };
    const span = tracing.begin(`project ${type}`, { kind: 'consumer', parent, attributes });
    if (span) spans.push(span);
  }
  return spans;
};
