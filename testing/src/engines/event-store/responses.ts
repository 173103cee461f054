import { once } from 'node:events';
import { Metadata, type ServerWritableStream, status, type StatusObject } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

/** An event as it lies in the log. Its position is both its commit and its prepare position, as since version 20 of the real one. */
export interface StoredEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  /** 100 ns since 1970, as text. */
  readonly created: string;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** What a client wants to have appended. */
export type ProposedEvent = Pick<StoredEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

/** As one line of the file: the events of one append, which are stored together or not at all. */
export const toLine = (events: readonly StoredEvent[]): string =>
  `${JSON.stringify(
    events.map((event) => ({
      ...event,
      position: String(event.position),
      data: event.data.toString('base64'),
      metadata: event.metadata.toString('base64'),
    })),
  )}\n`;

type EventInLine = Record<keyof StoredEvent, string> & { readonly revision: number };

export const fromLine = (line: string): StoredEvent[] =>
  (JSON.parse(line) as EventInLine[]).map((event) => ({
    ...event,
    position: BigInt(event.position),
    data: Buffer.from(event.data, 'base64'),
    metadata: Buffer.from(event.metadata, 'base64'),
  }));

/** Sends the answers of one call at the pace of its reader. */
export interface CallWriter {
  /** The client has hung up, or the call has been ended here. */
  readonly isOver: boolean;
  /** Resolves when the call is over. */
  readonly over: Promise<void>;
  /** Resolves when the next may be sent. */
  write(bytes: Buffer): Promise<void>;
  end(): void;
  fail(status: Partial<StatusObject>): void;
  /** From now on nothing is sent, silently. */
  silence(): void;
}

export const createCallWriter = (call: ServerWritableStream<unknown, Buffer>): CallWriter => {
  const closing = new AbortController();
  const { signal } = closing;
  const over = once(signal, 'abort').then(() => undefined);
  const finish = (): void => closing.abort();
  call.once('cancelled', finish).once('close', finish).on('error', finish);
  let silent = false;

  return {
    get isOver() {
      return signal.aborted;
    },
    over,
    write: async (bytes) => {
      if (silent) await over;
      if (signal.aborted || call.write(bytes)) return;
      await once(call, 'drain', { signal }).catch(() => undefined);
    },
    end: () => {
      if (signal.aborted) return;
      finish();
      call.end();
    },
    fail: (status) => {
      if (signal.aborted) return;
      finish();
      call.emit('error', status);
    },
    silence: () => {
      silent = true;
    },
  };
};

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

const streamIdentifier = (stream: string): shared.StreamIdentifier =>
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

/** An answer that is an error; the client distinguishes errors by the entry `exception`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: status;
  readonly details: string;
  readonly metadata = new Metadata();

  constructor(code: status, details: string, metadata: Readonly<Record<string, string>> = {}) {
    super(details);
    this.code = code;
    this.details = details;
    for (const [key, value] of Object.entries(metadata)) this.metadata.set(key, value);
  }
}

export const statusOf = (error: unknown): Partial<StatusObject> =>
  error instanceof Refusal
    ? { code: error.code, details: error.details, metadata: error.metadata }
    : { code: status.UNKNOWN, details: `Exception was thrown by handler. ${String(error)}` };

export const appendTooLarge = (limit: number): Refusal =>
  new Refusal(status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(limit),
  });

export const metadataMissing = (property: string): Refusal =>
  new Refusal(status.INVALID_ARGUMENT, `Required Metadata Property '${property}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });

/** A read or a subscription from a position at which no record begins. Both look like a failure of the server. */
export const noRecordThere = (isFiltered: boolean): Refusal =>
  new Refusal(
    status.UNKNOWN,
    isFiltered ? 'Exception was thrown by handler.' : 'Unexpected ReadAllResult: Error',
  );

export const notLeader = (leaderPort: number): Refusal =>
  new Refusal(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': '127.0.0.1',
    'leader-endpoint-port': String(leaderPort),
  });

/** The client does not read it. */
export const hungUp = (): Refusal => new Refusal(status.CANCELLED, 'The client has hung up');

/** What no test has needed yet. */
export const notImplemented = (what: string): Refusal =>
  new Refusal(status.UNIMPLEMENTED, `${what}: this server for tests does not know it`);
