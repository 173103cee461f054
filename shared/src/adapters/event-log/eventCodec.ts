import type { NewEvent, RecordedEvent } from '../../domain/eventEnvelope.js';
import type { LogPosition } from '../../ports/eventLog.js';

/** The digits of the largest safe integer. */
const positionDigits = 16;

const positionPattern = new RegExp(`^\\d{${positionDigits}}$`);

export const positionOf = (sequence: number): LogPosition => String(sequence).padStart(positionDigits, '0');

export const sequenceOf = (position: LogPosition): number => {
  if (!positionPattern.test(position)) throw new RangeError(`'${position}' is no position of this event log`);
  return Number(position);
};

/** An event as it will be stored, made when it is handed in: what cannot be encoded is refused there and then. */
export interface EncodedEvent {
  readonly id: string;
  readonly json: string;
}

export const encodeEvent = (event: NewEvent): EncodedEvent => ({
  id: event.id,
  json: JSON.stringify(event),
});

interface StoredEvent {
  readonly stream: string;
  readonly revision: number;
  readonly event: NewEvent;
}

/** JSON text, because any tool reads it and a `__proto__` key in somebody's data stays a key like another. */
export const storedText = (stream: string, revision: number, event: EncodedEvent): string =>
  `{"stream":${JSON.stringify(stream)},"revision":${revision},"event":${event.json}}`;

export const recordedEvent = (text: string, sequence: number): RecordedEvent => {
  const { stream, revision, event } = JSON.parse(text) as StoredEvent;
  return { ...event, stream, revision, position: positionOf(sequence) };
};
