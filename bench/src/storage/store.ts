import type { NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { StreamEvents } from './history.js';

/** What is asked of an event log and of the bare store beside it. */
export interface Store {
  /** One event after another in a stream of its own; each is on disk when its promise resolves. */
  writer(index: number): (event: NewEvent) => Promise<void>;
  fill(history: Iterable<StreamEvents>): Promise<void>;
  /** Reads and decodes everything, in order; resolves with the number of events. */
  readAll(): Promise<number>;
  close(): Promise<void>;
}
