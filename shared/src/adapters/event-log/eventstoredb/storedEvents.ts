import type { EventData, Position, ResolvedEvent } from '@eventstore/db-client';
import type { LogPosition } from '../../../ports/eventLog.js';
import {
  dataTextOf,
  type AppendedEvent,
  type EventMetadata,
  type RecordedEvent,
} from '../../../domain/eventEnvelope.js';

/** The digits of the largest unsigned 64-bit number. */
const digits = 20;
const pattern = new RegExp(`^(\\d{${digits}})-(\\d{${digits}})$`);

/** The server's value for an unknown position. */
const none = 2n ** 64n - 1n;

const padded = (part: bigint): string => String(part).padStart(digits, '0');

/** Commit position before prepare position, which is the order of `$all`. */
export const logPositionOf = (position: Position | undefined): LogPosition => {
  if (!isKnown(position)) {
    throw new RangeError('EventStoreDB gave no position; version 22.10 or later is needed');
  }
  const { commit, prepare } = position;
  const first = padded(commit);
  return `${first}-${prepare === commit ? first : padded(prepare)}`;
};

export const serverPositionOf = (position: LogPosition): Position => {
  const [, commit, prepare] = pattern.exec(position) ?? [];
  if (commit === undefined || prepare === undefined) {
    throw new RangeError(`'${position}' is no position of this event log`);
  }
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
};

export const isKnown = (position: Position | undefined): position is Position =>
  position !== undefined && position.commit !== none;

/** As the server writes it; another spelling would be returned changed, and a repeated append would not be recognized. */
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** JSON, which any tool reads; the schema version is in the metadata, because the server has no field for it. */
type StoredMetadata = EventMetadata & { readonly schemaVersion: number };

/** The client's own JSON type leaves out some JSON values. */
type ClientJson = Record<string, unknown>;

/** Rejects early what the client would throw on later, where no caller can catch it. */
export const proposedEvent = (event: AppendedEvent): EventData => {
  const { id, type, schemaVersion, data, dataText = dataTextOf(data), metadata } = event;
  if (!uuidPattern.test(id)) throw new RangeError(`The event id '${id}' is no UUID in lower case`);
  if (type === '' || isSystemName(type)) throw new RangeError(`'${type}' is no type for an event`);
  if (dataText === '') throw new TypeError('The data of an event must be JSON');
  const stored: StoredMetadata = { ...metadata, schemaVersion };
  return {
    id,
    type,
    contentType: 'application/json',
    data: data as ClientJson,
    metadata: stored as unknown as ClientJson,
  };
};

export const isSystemName = (name: string): boolean => name.startsWith('$');

/** Recognizes the events of this log; the database may hold others. */
export interface EventReader {
  /** The event as it was appended, undefined for one that is not of this log. */
  recorded(resolved: ResolvedEvent): RecordedEvent | undefined;
}

export const createEventReader = (streamPrefix: string): EventReader => ({
  recorded: ({ event }) => {
    if (!event?.isJson || isSystemName(event.streamId) || isSystemName(event.type)) return undefined;
    const { id, type, data, streamId, revision, position } = event;
    const stored: unknown = event.metadata;
    if (!streamId.startsWith(streamPrefix) || !isStoredMetadata(stored)) return undefined;
    const { schemaVersion, ...metadata } = stored;
    return {
      id,
      type,
      schemaVersion,
      data,
      metadata,
      stream: streamId.slice(streamPrefix.length),
      revision: Number(revision),
      position: logPositionOf(position),
    };
  },
});

const isStoredMetadata = (metadata: unknown): metadata is StoredMetadata =>
  typeof metadata === 'object' &&
  metadata !== null &&
  typeof (metadata as Partial<StoredMetadata>).schemaVersion === 'number';
