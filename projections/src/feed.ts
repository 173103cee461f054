import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewChange, ViewStore } from '@roomwire/shared/ports/viewStore';
import { putRedrivenCalls } from './redrivenCalls.js';

const feedId = domainEventFeed.name;

/** Passes events on, in order, and resolves when the bus has them. */
export const feedEvents = async (bus: MessageBus, events: readonly RecordedEvent[]): Promise<void> => {
  await Promise.all(events.map((event) => feedEvent(bus, event)));
};

/** Whatever an event holds, it must not hold up those behind it: what the bus does not take, it gets without the bulk. */
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

/** Written with each batch: how far the feed had got by then. What lies between that and the checkpoint is in doubt. */
export const feedProgress = (fedUpTo: LogPosition | undefined): readonly ViewChange[] =>
  fedUpTo === undefined
    ? []
    : [{ put: 'feedProgress', id: feedId, doc: { feed: feedId, position: fedUpTo } }];

/** Feeds again what a crash between writing and feeding may have kept back: at most the last two batches. */
export const feedWhatIsInDoubt = async (
  deps: { log: EventLog; views: ViewStore; bus: MessageBus; clock: Clock; logger: Logger },
  checkpoint: LogPosition,
): Promise<void> => {
  const { log, views, bus } = deps;
  const progress = await views.get('feedProgress', feedId);
  for await (const events of log.readAll(progress?.position)) {
    const inDoubt = events.filter(({ position }) => position <= checkpoint);
    await feedEvents(bus, inDoubt);
    await putRedrivenCalls(deps, inDoubt);
    if (inDoubt.length < events.length) return;
  }
};
