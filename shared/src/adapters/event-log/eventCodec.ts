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

export const encodeEvent = ({ id, type, schemaVersion, data, metadata }: NewEvent): EncodedEvent => ({
  id,
  json: JSON.stringify({ id, type, schemaVersion, data, metadata }),
});

interface StoredEvent {
  readonly stream: string;
  readonly revision: number;
  readonly event: NewEvent;
}

/** JSON text, because any tool reads it and a `__proto__` key in somebody's data stays a key like another. */
export const storedText = (stream: string, revision: number, event: EncodedEvent): string =>
  `{"stream":${JSON.stringify(stream)},"revision":${revision},"event":${event.json}}`;

/** Field by field, which is twice as fast as a spread and makes objects of one shape. */
export const recordedEvent = (text: string, sequence: number): RecordedEvent => {
  const { stream, revision, event } = JSON.parse(text) as StoredEvent;
  const { id, type, schemaVersion, data, metadata } = event;
  return { id, type, schemaVersion, data, metadata, stream, revision, position: positionOf(sequence) };
};
