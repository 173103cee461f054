import { createEventProver } from '../../credentials/eventProof.js';
import type { AuditKeys } from '../../credentials/auditKeys.js';
import { dataTextOf, type AppendedEvent, type RecordedEvent } from '../../domain/eventEnvelope.js';
import { RevisionConflict } from '../../ports/errors.js';
import type {
  AppendResult,
  EventLog,
  ExpectedRevision,
  LogPosition,
  LogSubscriber,
} from '../../ports/eventLog.js';
import { limitTable } from '../../wire/limits/limitTable.js';

/** Streams whose last MAC is kept in memory; those that were used least recently are read again. */
const mostKnown = limitTable.knownHeads.value;

interface Head {
  readonly revision: number;
  /** Null for an event that predates proofs. */
  readonly mac: string | null;
}

/**
 * A log whose appends carry a proof: each event the HMAC over itself and the one before it in its stream. The revision that an append
 * expects says which event that is, so a writer that another one has overtaken gets its conflict and no chain has two branches.
 */
export const createChainedEventLog = (
  log: EventLog,
  keys: Pick<AuditKeys, 'current'>,
  knownHeads = mostKnown,
): EventLog => {
  const prove = createEventProver(keys);
  const heads = new Map<string, Head>();

  const know = (stream: string, head: Head): void => {
    heads.delete(stream);
    heads.set(stream, head);
    if (heads.size > knownHeads) for (const oldest of heads.keys()) return void heads.delete(oldest);
  };

  const knownAt = (stream: string, revision: number): Head | undefined => {
    const head = heads.get(stream);
    return head?.revision === revision ? head : undefined;
  };

  const readAt = async (stream: string, revision: number): Promise<Head> => {
    for await (const [event] of log.readStream(stream, revision))
      if (event?.revision === revision) return headOf(event);
    // Linked to nothing, the append might succeed behind an event that another writer appends now.
    throw new RevisionConflict(stream);
  };

  const proven = (
    stream: string,
    head: Head | undefined,
    events: readonly AppendedEvent[],
  ): [AppendedEvent, ...AppendedEvent[]] => {
    let { revision, mac: previous }: Head = head ?? { revision: -1, mac: null };
    return events.map((event) => {
      revision += 1;
      const { id, type, schemaVersion, data, dataText = dataTextOf(data) } = event;
      const proof = prove(event, dataText, { stream, revision, previous });
      previous = proof.mac;
      return { id, type, schemaVersion, data, dataText, metadata: { ...event.metadata, proof } };
    }) as [AppendedEvent, ...AppendedEvent[]];
  };

  return {
    async append(
      stream: string,
      expected: ExpectedRevision,
      events: readonly [AppendedEvent, ...AppendedEvent[]],
    ): Promise<AppendResult> {
      const head =
        expected === 'none' ? undefined : (knownAt(stream, expected) ?? (await readAt(stream, expected)));
      const chained = proven(stream, head, events);
      try {
        const result = await log.append(stream, expected, chained);
        know(stream, { revision: result.revision, mac: chained.at(-1)?.metadata.proof?.mac ?? null });
        return result;
      } catch (error) {
        heads.delete(stream);
        throw error;
      }
    },

    // Writers read what is new before they append to it.
    async *readStream(stream: string, fromRevision?: number): AsyncIterable<readonly RecordedEvent[]> {
      for await (const batch of log.readStream(stream, fromRevision)) {
        const last = batch.at(-1);
        if (last) know(stream, headOf(last));
        yield batch;
      }
    },

    readLast: (stream: string) => log.readLast(stream),
    readAll: (after?: LogPosition) => log.readAll(after),
    subscribeAll: (after: LogPosition | undefined, subscriber: LogSubscriber) =>
      log.subscribeAll(after, subscriber),
    head: () => log.head(),
    identity: () => log.identity(),
    readAt: (position: LogPosition) => log.readAt(position),
    close: () => log.close(),
  };
};

const headOf = ({ revision, metadata: { proof } }: RecordedEvent): Head => ({
  revision,
  mac: proof?.mac ?? null,
});
