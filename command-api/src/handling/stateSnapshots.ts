import type { DomainEvent } from '@roomwire/shared/domain/events';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Snapshot, SnapshotHead, SnapshotStore } from '@roomwire/shared/ports/snapshotStore';
import { once } from '@roomwire/shared/runtime/service';
import { workSlices } from '@roomwire/shared/runtime/workSlices';
import { recordBytes, type KeptStates, type StreamState } from './streamState.js';
import type { Decider, StateRecords } from './writeModel.js';

export interface StateSnapshotsDeps {
  readonly log: Pick<EventLog, 'readStream'>;
  readonly store: SnapshotStore;
  readonly logger: Logger;
}

/**
 * A snapshot is due when the events since the last one weigh this much, and this much of what it weighs. To read an event takes about
 * eight times as long as a record of a snapshot: a state is made from both in twice the time that its records take.
 */
const due = { bytes: 2 * 2 ** 20, share: 1 / 8 };

const partCharacters = 256 * 1024;

/**
 * Folded states of long streams, written beside the commands, so that a process does not read a long stream from its beginning before it
 * can decide. A snapshot is used where the stream has, at its revision, the event that it was taken at; what came after it is read from
 * the log. Where anything about it is wrong, the log has everything.
 */
export class StateSnapshots implements KeptStates {
  private readonly deps: StateSnapshotsDeps;
  /** One at a time in a process. */
  private writing: Promise<void> | undefined;
  private isClosed = false;

  constructor(deps: StateSnapshotsDeps) {
    this.deps = deps;
  }

  async load<State, Command, Event extends DomainEvent>(
    stream: string,
    decider: Decider<State, Command, Event>,
  ): Promise<StreamState<State> | undefined> {
    const { store, logger } = this.deps;
    try {
      // A second time, because the first one may have been replaced while it was read.
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        const found = await store.find(stream);
        if (found === undefined || found.version !== decider.records?.version) return undefined;
        const loaded = await this.loaded(stream, decider, found);
        if (loaded) return loaded;
      }
      logger.warn('A snapshot is damaged, or of another past of its stream, and is removed', { stream });
      await store.remove([stream]);
    } catch (error) {
      logger.warn('Snapshots cannot be read; the whole stream is read instead', { stream, error });
    }
    return undefined;
  }

  keep<State, Command, Event extends DomainEvent>(
    stream: string,
    { records }: Decider<State, Command, Event>,
    folded: StreamState<State>,
  ): void {
    const { revision, lastEvent: event, bytes, bytesSinceSnapshot, snapshotRevision } = folded;
    if (records === undefined || revision === 'none' || event === undefined) return;
    const least = Math.max(due.bytes, (bytes - bytesSinceSnapshot) * due.share);
    if (bytesSinceSnapshot < least || this.writing !== undefined || this.isClosed) return;
    const head = { version: records.version, revision, event };
    // Records are never changed, only replaced: the list stays what it is while the state goes on.
    const list = records.of(folded.state);
    folded.bytesSinceSnapshot = 0;
    folded.snapshotRevision = revision;
    this.writing = this.write(stream, head, list, snapshotRevision)
      .then((recordsBytes) => {
        // Of records that were replaced or removed only the events remain, and those are no longer counted.
        if (recordsBytes !== undefined) folded.bytes = recordsBytes + folded.bytesSinceSnapshot;
      })
      .catch((error: unknown) => {
        if (!this.isClosed) this.deps.logger.warn('A snapshot could not be written', { stream, error });
      })
      .finally(() => (this.writing = undefined));
  }

  /** Removes what is kept of streams that nobody writes any more. */
  async forget(streams: readonly string[]): Promise<void> {
    await this.deps.store.remove(streams).catch((error: unknown) => {
      // They go when nobody has renewed them for their retention.
      this.deps.logger.warn('Snapshots could not be removed', { streams: streams.length, error });
    });
  }

  readonly close = once(async () => {
    this.isClosed = true;
    await this.writing;
  });

  private async loaded<State, Command, Event extends DomainEvent>(
    stream: string,
    { initial, records }: Decider<State, Command, Event>,
    found: Snapshot,
  ): Promise<StreamState<State> | undefined> {
    const { revision, event: lastEvent } = found;
    const position = await this.positionOf(stream, found);
    if (position === undefined || records === undefined) return undefined;
    const made = await stateOf(found, initial(), records).catch(undefinedUnlessAway);
    return (
      made && { ...made, revision, lastEvent, position, bytesSinceSnapshot: 0, snapshotRevision: revision }
    );
  }

  /** Of the event at which the snapshot was taken; undefined where the log has another one there. */
  private async positionOf(
    stream: string,
    { revision, event }: SnapshotHead,
  ): Promise<LogPosition | undefined> {
    for await (const [first] of this.deps.log.readStream(stream, revision))
      return first?.revision === revision && first.id === event ? first.position : undefined;
    return undefined;
  }

  /** Resolves with what the records weigh; undefined where another process has written one since the last that is known here. */
  private async write(
    stream: string,
    head: SnapshotHead,
    records: readonly unknown[],
    lastKnown: number,
  ): Promise<number | undefined> {
    const stored = await this.deps.store.find(stream);
    const isRecent =
      stored?.version === head.version && stored.revision > lastKnown && stored.revision <= head.revision;
    if (isRecent) return undefined;
    const weighed = { bytes: 0 };
    await this.deps.store.write(stream, head, this.partsOf(records, weighed));
    return weighed.bytes;
  }

  private async *partsOf(records: readonly unknown[], weighed: { bytes: number }): AsyncGenerator<string> {
    const slices = workSlices();
    let [texts, characters]: [string[], number] = [[], 0];
    for (const record of records) {
      if (slices.isOver()) await slices.next();
      const text = JSON.stringify(record);
      weighed.bytes += recordBytes(record);
      texts.push(text);
      characters += text.length;
      if (characters < partCharacters) continue;
      // A process that ends does not wait for all of them.
      if (this.isClosed) throw new Error('The process ends');
      yield `[${texts.join()}]`;
      [texts, characters] = [[], 0];
    }
    if (texts.length > 0) yield `[${texts.join()}]`;
  }
}

const stateOf = async <State>(
  { parts }: Snapshot,
  initial: State,
  { into }: StateRecords<State>,
): Promise<Pick<StreamState<State>, 'state' | 'bytes'>> => {
  const slices = workSlices();
  let [state, bytes] = [initial, 0];
  for await (const part of parts)
    for (const record of JSON.parse(part) as readonly unknown[]) {
      if (slices.isOver()) await slices.next();
      state = into(state, record);
      bytes += recordBytes(record);
    }
  return { state, bytes };
};

const undefinedUnlessAway = (error: unknown): undefined => {
  if (error instanceof EngineUnavailable) throw error;
  return undefined;
};
