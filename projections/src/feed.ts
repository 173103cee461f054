import { domainEventFeed } from '@roomwire/shared/contracts/bus/domainEventFeed';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewChange, ViewStore } from '@roomwire/shared/ports/viewStore';

import { putRedrivenCalls } from './redrivenCalls.js';

const feedId = domainEventFeed.name;

/** Passes events on, in order, and resolves when the bus has them. */
export const feedEvents = async (bus: MessageBus, events: readonly RecordedEvent[]): Promise<void> => {
  await Promise.all(events.map((event) => bus.send(domainEventFeed, event, 'stored')));
};

/** Written with each batch: how far the feed had got by then. What lies between that and the checkpoint is in doubt. */
export const feedProgress = (fedUpTo: LogPosition | undefined): readonly ViewChange[] =>
  fedUpTo === undefined
    ? []
    : [{ put: 'feedProgress', id: feedId, doc: { feed: feedId, position: fedUpTo } }];

/** Feeds again what a crash between writing and feeding may have kept back: at most the last two batches. */
export const feedWhatIsInDoubt = async (
  deps: { log: EventLog; views: ViewStore; bus: MessageBus; clock: Clock },
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
