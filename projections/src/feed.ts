import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { feedSpans } from '@roomwire/shared/wire/bus/feedSpans';
import { isOfTheControlPlane } from '@roomwire/shared/domain/auditHeads';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewChange, ViewStore } from '@roomwire/shared/ports/viewStore';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { loadCallPayload, type CallPayloadDeps } from '@roomwire/shared/runtime/callPayloads';
import type { DeadLetterEvent } from '@roomwire/shared/domain/deadLetter';
import { readEvent } from '@roomwire/shared/domain/events';
import { viewsVersion } from '@roomwire/shared/wire/views/views';
import { putRedriven } from './redriven.js';

const feedId = domainEventFeed.name;

/** Passes events on, in order, and resolves with how many there were when the bus has them. */
export const feedEvents = async (bus: MessageBus, events: readonly RecordedEvent[]): Promise<number> => {
  const fed = events.filter(isOfTheControlPlane);
  await Promise.all(fed.map((event) => feedEvent(bus, event)));
  return fed.length;
};

/** Says what lies between two positions, behind the events themselves. Who misses it does without proof, and reads. */
export const sendSpan = async (
  bus: MessageBus,
  after: LogPosition | undefined,
  upTo: LogPosition,
  events: number,
): Promise<void> => {
  await bus.send(feedSpans, { viewsVersion, after: after ?? '', upTo, events }, 'stored');
};

/** An event that is too large for the bus is sent without its large fields, so that it does not hold up the events behind it. */
const feedEvent = async (bus: MessageBus, event: RecordedEvent): Promise<void> => {
  try {
    await bus.send(domainEventFeed, event, 'stored');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    await bus.send(domainEventFeed, withoutBulk(event), 'stored');
  }
};

const largestOfField = 64 * 1024;

const withoutBulk = (event: RecordedEvent): RecordedEvent => {
  const fields = Object.entries(event.data as Readonly<Record<string, unknown>>);
  const small = fields.filter(([, value]) => JSON.stringify(value).length <= largestOfField);
  return { ...event, data: Object.fromEntries(small) };
};

/** Written with each batch: the last position that the bus has confirmed. Later events up to the checkpoint are unconfirmed. */
export const feedProgress = (fedUpTo: LogPosition | undefined): readonly ViewChange[] =>
  fedUpTo === undefined
    ? []
    : [{ put: 'feedProgress', id: feedId, doc: { feed: feedId, position: fedUpTo } }];

/** The position up to which the bus has confirmed the feed, as it was written with the last batch. */
export const feedMark = async (views: ViewStore): Promise<LogPosition | undefined> =>
  (await views.get('feedProgress', feedId))?.position;

/**
 * Publishes what the read models hold and the bus has not confirmed. After a crash that is at most the last two batches. Resolves with
 * how many events there were.
 */
export const feedUnconfirmed = async (
  deps: FeedDeps,
  fedUpTo: LogPosition | undefined,
  checkpoint: LogPosition,
): Promise<number> => {
  let fed = 0;
  for await (const events of deps.log.readAll(fedUpTo)) {
    const unconfirmed = events.filter(({ position }) => position <= checkpoint);
    fed += await feedEvents(deps.bus, unconfirmed);
    await putRedrivenCalls(deps, unconfirmed);
    if (unconfirmed.length < events.length) break;
  }
  return fed;
};

interface RedriveDeps extends CallPayloadDeps {
  readonly views: ViewStore;
  readonly bus: MessageBus;
}

export interface FeedDeps extends RedriveDeps {
  readonly log: EventLog;
}

/** A rebuild of the read models reads every past redrive again: calls that were requested long ago are not repeated. */
const mostRecentMs = 3_600_000;

/** [HOOK-REDRIVE-1] Enqueues what operators redrive. Resolves once all of it is stored. */
export const putRedrivenCalls = async (
  deps: RedriveDeps,
  events: readonly RecordedEvent[],
): Promise<void> => {
  const oldest = new Date(deps.clock.now() - mostRecentMs).toISOString();
  for (const recorded of events) {
    if (recorded.type !== 'DeadLetterRedriven' || recorded.metadata.occurredAt < oldest) continue;
    try {
      await putRedrivenCall(deps, recorded);
    } catch (error) {
      if (error instanceof EngineUnavailable) throw error;
      // Its payload may be of another version, or too large once it is encoded again. That must not stop the projection.
      const { id, stream } = recorded;
      deps.logger.error('A redriven call cannot be made', { eventId: id, stream, error });
    }
  }
};

const putRedrivenCall = async (deps: RedriveDeps, recorded: RecordedEvent): Promise<void> => {
  const { data } = readEvent(recorded) as Extract<DeadLetterEvent, { type: 'DeadLetterRedriven' }>;
  const entry = await deps.views.get('deadLetters', data.dlqId);
  const sent = entry && (await loadCallPayload(deps, entry));
  if (entry === undefined || sent === undefined) {
    deps.logger.warn('A redriven webhook call is not made: it was deleted, or has expired', {
      callId: data.dlqId,
    });
    return;
  }
  const { traceparent } = recorded.metadata;
  await putRedriven(deps.bus, entry, sent, { redriveId: data.redriveId, traceparent });
};
