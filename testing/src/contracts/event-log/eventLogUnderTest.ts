import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { NewEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';

export interface EventLogUnderTest {
  /** An empty log. */
  readonly log: EventLog;
  /** Closes the log that is open and opens it again, for engines that are started and stopped with it. */
  reopen?(): Promise<EventLog>;
  /** Closes what is open and removes what was kept. */
  dispose(): Promise<void>;
}

export const newEvent = (data: unknown = {}): NewEvent => ({
  id: randomUUID(),
  type: 'RoomCreated',
  schemaVersion: 1,
  data,
  metadata: {
    occurredAt: '2026-03-01T12:00:00.000Z',
    organizationId: 'o1',
    projectId: 'p1',
    principal: 'system',
    requestId: 'r1',
  },
});

/** The requested number of events, numbered in `data`. */
export const newEvents = (count: number): [NewEvent, ...NewEvent[]] => {
  const rest = Array.from({ length: count - 1 }, (_, index) => newEvent({ number: index + 1 }));
  return [newEvent({ number: 0 }), ...rest];
};

export const flattened = async (
  batches: AsyncIterable<readonly RecordedEvent[]>,
): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const batch of batches) {
    expect(batch, 'a batch').not.to.be.empty;
    events.push(...batch);
  }
  return events;
};

export const streamEvents = (log: EventLog, stream: string, from?: number): Promise<RecordedEvent[]> =>
  flattened(log.readStream(stream, from));

export const allEvents = (log: EventLog, after?: LogPosition): Promise<RecordedEvent[]> =>
  flattened(log.readAll(after));

export const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);

export const expectIncreasing = (positions: readonly LogPosition[]): void => {
  positions.slice(1).forEach((position, index) => {
    expect(positions[index]! < position, `${positions[index]} is before ${position}`).to.equal(true);
  });
};

/** What the promise rejects with; fails when it resolves. */
export const rejectionOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail('It resolved'),
    (error: unknown) => error,
  );
