import { EngineUnavailable, RevisionConflict } from '../../ports/errors.js';
import type { EventLog, LogPosition, LogSubscription } from '../../ports/eventLog.js';
import { once } from '../../runtime/service.js';
import type { DataFolder } from '../lmdb/dataFolder.js';
import { encodeEvent, positionOf, sequenceOf } from './eventCodec.js';
import { lastSequence, openEventTables, type EventTables } from './eventTables.js';
import { createGroupCommit } from './groupCommit.js';
import { followLog } from './logSubscription.js';
import { inBatches, readAfter, readStreamFrom } from './readBatches.js';
import { createSignal } from './signal.js';
import { writeAppends, type Append, type AppendOutcome } from './writeAppends.js';

/**
 * The event log in a file of the data folder. Readers and subscribers see an event when its append resolves and not
 * before, so that nothing is ever projected that a power cut could take back.
 */
export const openEmbeddedEventLog = async (folder: DataFolder): Promise<EventLog> =>
  embeddedEventLog(await openEventTables(folder.file('events.lmdb')));

const embeddedEventLog = (tables: EventTables): EventLog => {
  const growth = createSignal();
  const subscriptions = new Set<LogSubscription>();
  let durable = lastSequence(tables);
  let closed = false;

  const commits = createGroupCommit<Append, AppendOutcome>({
    transact: (work) => tables.environment.transact(work),
    write: (appends) => writeAppends(tables, appends),
    committed: () => {
      durable = lastSequence(tables);
      growth.give();
    },
  });

  /** LMDB must not be touched once it is closed; whoever still reads is told. */
  const requireOpen = (): void => {
    if (closed) throw unavailable(new Error('It has been closed'));
  };

  const readFrom = (after: number) => {
    requireOpen();
    return readAfter(tables, after, durable);
  };

  const sequenceAfter = (position: LogPosition | undefined): number => {
    const sequence = position === undefined ? 0 : sequenceOf(position);
    // Going on from there would skip whatever takes that place: a checkpoint of another log, or of a lost one.
    if (sequence > durable) throw new RangeError(`The event log ends before the position ${position}`);
    return sequence;
  };

  const close = async (): Promise<void> => {
    closed = true;
    await Promise.all([...subscriptions].map((subscription) => subscription.close()));
    await commits.idle();
    await tables.environment.close();
  };

  return {
    append: async (stream, expected, events) => {
      requireOpen();
      requireStreamName(stream);
      const outcome = await commits
        .submit({ stream, expected, events: events.map(encodeEvent) })
        .catch((error: unknown) => Promise.reject(unavailable(error)));
      if (outcome instanceof RevisionConflict) throw outcome;
      return outcome;
    },

    readStream: (stream, fromRevision = 0) =>
      inBatches((last) => {
        requireOpen();
        return readStreamFrom(tables, stream, last ? last.revision + 1 : fromRevision, durable);
      }),

    readAll: (after) => inBatches((last) => readFrom(sequenceAfter(last?.position ?? after))),

    subscribeAll: (after, subscriber) => {
      const subscription = followLog({ read: readFrom, growth }, () => sequenceAfter(after), subscriber);
      subscriptions.add(subscription);
      void subscription.done.catch(() => undefined).then(() => subscriptions.delete(subscription));
      return subscription;
    },

    head: async () => {
      requireOpen();
      return durable === 0 ? undefined : positionOf(durable);
    },

    close: once(close),
  };
};

const unavailable = (cause: unknown): EngineUnavailable => new EngineUnavailable('event log', { cause });

/** LMDB's bound on keys is 1978 bytes, which this many characters never exceed. */
const streamNameMaxLength = 500;

/** Refused here because in a transaction it would fail the appends of others, too. */
const requireStreamName = (stream: string): void => {
  if (stream.length === 0 || stream.length > streamNameMaxLength) {
    throw new RangeError(`A stream name has 1 to ${streamNameMaxLength} characters`);
  }
};
