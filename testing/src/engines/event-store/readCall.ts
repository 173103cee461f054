import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import {
  type CallWriter,
  createCallWriter,
  eventResponse,
  noRecordThere,
  notFoundResponse,
  notImplemented,
  statusOf,
  type StoredEvent,
  streamNameOf,
} from './responses.js';
import { eventFilter } from './eventFilter.js';
import type { Faults } from './faults.js';
import { subscribeToAll, type Subscriptions } from './subscriptions.js';
import type { TransactionLog } from './transactionLog.js';

/** Answers leave as bytes that have been encoded before. */
export type ReadCall = ServerWritableStream<streams.ReadReq, Buffer>;

const { Options } = streams.ReadReq;
const forwards = Options.ReadDirection.FORWARDS;

/** The events to send, one after the other. */
type Selection = Iterable<StoredEvent>;

export const handleRead =
  (log: TransactionLog, subscriptions: Subscriptions, faults: Faults) =>
  (call: ReadCall): void => {
    const writer = createCallWriter(call);
    const answer = async (): Promise<void> => {
      faults.requireLeader(call);
      const options = call.request.getOptions();
      if (!options?.getUuidOption()?.hasString()) throw notImplemented('a UUID in another form than text');
      if (options.hasSubscription()) await subscribe(log, subscriptions, options, writer);
      else await read(log, options, writer);
    };
    answer().then(
      () => writer.end(),
      (error: unknown) => writer.fail(statusOf(error)),
    );
  };

const read = async (
  log: TransactionLog,
  options: streams.ReadReq.Options,
  writer: CallWriter,
): Promise<void> => {
  const matches = eventFilter(options.getFilter());
  const selection = options.hasAll() ? allEvents(log, options) : streamEvents(log, options, writer);
  let left = BigInt(options.getCount());
  for (const event of await selection) {
    if (left <= 0n || writer.isOver) return;
    if (!matches(event)) continue;
    left -= 1n;
    await writer.write(eventResponse(event));
  }
};

const subscribe = (
  log: TransactionLog,
  subscriptions: Subscriptions,
  options: streams.ReadReq.Options,
  writer: CallWriter,
): Promise<void> => {
  const all = options.getAll();
  if (all === undefined) throw notImplemented('a subscription to one stream');
  const filter = options.getFilter();
  const start = all.hasPosition() ? knownPosition(log, options) : undefined;
  const searchWindow = filter?.hasMax() ? filter.getMax() : 32;
  return subscribeToAll(log, subscriptions, writer, {
    after: all.hasEnd() ? log.at(log.length - 1)?.position : start,
    matches: eventFilter(filter),
    checkpointInterval: filter && searchWindow * filter.getCheckpointintervalmultiplier(),
  });
};

function* allEvents(log: TransactionLog, options: streams.ReadReq.Options): Selection {
  const all = options.getAll()!;
  if (options.getReadDirection() === forwards) {
    const start = all.hasPosition()
      ? log.indexOf(knownPosition(log, options))
      : all.hasStart()
        ? 0
        : log.length;
    for (let index = start; index < log.length; index += 1) yield log.at(index)!;
  } else {
    const end = all.hasPosition() ? log.indexOf(knownPosition(log, options)) : all.hasEnd() ? log.length : 0;
    for (let index = end - 1; index >= 0; index -= 1) yield log.at(index)!;
  }
}

const streamEvents = async (
  log: TransactionLog,
  options: streams.ReadReq.Options,
  writer: CallWriter,
): Promise<Selection> => {
  const from = options.getStream()!;
  const name = streamNameOf(from.getStreamIdentifier());
  const events = log.stream(name);
  if (events === undefined) {
    await writer.write(notFoundResponse(name));
    return [];
  }
  const revision = from.hasStart() ? 0 : from.hasEnd() ? events.length - 1 : Number(from.getRevision());
  return options.getReadDirection() === forwards
    ? events.slice(revision)
    : events.slice(0, revision + 1).reverse();
};

/** The beginning of a record, or past the end of the log: the real one cannot start anywhere else. */
const knownPosition = (log: TransactionLog, options: streams.ReadReq.Options): bigint => {
  const commit = BigInt(options.getAll()?.getPosition()?.getCommitPosition() ?? 0);
  const event = log.at(log.indexOf(commit));
  if (event !== undefined && event.position !== commit) throw noRecordThere(options.hasFilter());
  return commit;
};
