import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredEvent } from './storedEvent.js';

/** Answers to `Read` as bytes, so that an event is encoded once and not once a reader. */
const { ReadResp } = streams;
const encodedEvents = new WeakMap<StoredEvent, Buffer>();

const bytesOf = (response: streams.ReadResp): Buffer => Buffer.from(response.serializeBinary());

export const eventResponse = (event: StoredEvent): Buffer => {
  const known = encodedEvents.get(event);
  if (known) return known;
  const bytes = bytesOf(
    new ReadResp().setEvent(
      new ReadResp.ReadEvent().setEvent(recordOf(event)).setCommitPosition(String(event.position)),
    ),
  );
  encodedEvents.set(event, bytes);
  return bytes;
};

const recordOf = (event: StoredEvent): streams.ReadResp.ReadEvent.RecordedEvent => {
  const position = String(event.position);
  const record = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(streamIdentifier(event.stream))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  record
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', event.contentType)
    .set('created', event.created);
  return record;
};

export const streamIdentifier = (stream: string): shared.StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(stream, 'utf8'));

export const streamNameOf = (identifier: shared.StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');

export const notFoundResponse = (stream: string): Buffer =>
  bytesOf(
    new ReadResp().setStreamNotFound(
      new ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)),
    ),
  );

export const confirmationResponse = (id: string): Buffer =>
  bytesOf(new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId(id)));

export const checkpointResponse = (position: bigint): Buffer =>
  bytesOf(
    new ReadResp().setCheckpoint(
      new ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position)),
    ),
  );

export const caughtUpResponse = (): Buffer => bytesOf(new ReadResp().setCaughtUp(new ReadResp.CaughtUp()));
