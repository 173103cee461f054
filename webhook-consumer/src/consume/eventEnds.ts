import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { RoomEventStore } from '@roomwire/shared/ports/roomEventStore';
import { type EventEnd, eventEnds } from '@roomwire/shared/wire/bus/eventEnds';

interface EventEndsDeps {
  readonly bus: Pick<MessageBus, 'send'>;
  readonly store: Pick<RoomEventStore, 'settle'>;
  readonly logger: Logger;
}

/** Stored first: the gateway that waits for it may be dead, and the one after it must not send the events again. */
export const createEventEnds =
  ({ bus, store, logger }: EventEndsDeps) =>
  async (end: EventEnd): Promise<void> => {
    await store.settle(end, end.sequence);
    bus.send(eventEnds, end, 'none').catch((error: unknown) => {
      logger.debug('The gateway of a room was not told how its events have ended', { error });
    });
  };
