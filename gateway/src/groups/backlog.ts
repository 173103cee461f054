import { isDeepStrictEqual } from 'node:util';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { GroupStore, GroupCheckpoint } from '@roomwire/shared/ports/groupStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageStore, RecordedMessage } from '@roomwire/shared/ports/messageStore';
import { LatestWrite } from './latestWrite.js';
import type { GroupState } from './machine/groupState.js';

export interface BacklogDeps {
  /** Both undefined where messages are not recorded: then there is no backlog. */
  readonly messageStore: MessageStore | undefined;
  readonly groupStore: GroupStore | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The longest pause between two attempts to write. */
  readonly retryMs: number;
}

/** The member that receives the replay of a backlog. */
export interface ReplayTarget {
  /** At most so many messages; undefined where the topic is not replayed. */
  readonly limit: number | undefined;
  isEligible(message: LiveMessage): boolean;
  begin(count: number): void;
  /** Resolves when there is room for more; with false when the member has left. */
  give(message: LiveMessage): Promise<boolean>;
  end(replayed: number): void;
}

type Progress = Pick<GroupCheckpoint, 'sinceMs' | 'undone' | 'done'>;

/** [WS-GROUP-9] How long an empty group collects. */
const collectsMs = 24 * 3_600_000;
/** The checkpoint of a group with members is written this often, changed or not, so that it does not expire. */
const refreshMs = 3_600_000;
/** Acknowledged messages, and open ones, that the checkpoint of a group with members names. */
const mostNamed = 100;
/** Only the newest messages of the topic are examined. */
const maxExamined = 100_000;
/** A message is recorded after it was made, perhaps on another machine. */
const clockMarginMs = 10_000;

/**
 * What a group missed while it was empty. The messages are in the message store anyway; a checkpoint in the group store says
 * which of them the group had acknowledged, should all its gateways end or die.
 */
export class Backlog {
  private readonly deps: BacklogDeps;
  private readonly id: Pick<GroupCheckpoint, 'topic' | 'group'>;
  private readonly writes: LatestWrite;
  private written: { readonly progress: Progress; readonly at: number } | undefined;
  /** The ids of the last replay. */
  private replayed: readonly string[] = [];
  private place = '';

  /** Reads and writes nothing before `predecessor` resolves: the last write of the group that had this name here. */
  constructor(
    { topic, group }: Pick<GroupCheckpoint, 'topic' | 'group'>,
    deps: BacklogDeps,
    predecessor: Promise<void> = Promise.resolve(),
  ) {
    this.id = { topic, group };
    this.deps = deps;
    this.writes = new LatestWrite({
      ...{ after: predecessor, retryMs: deps.retryMs },
      failed: (error, { attempt, isTriedAgain }) => {
        if (!isTriedAgain) this.written = undefined;
        const level = attempt === 1 ? 'warn' : 'debug';
        deps.logger[level]('The checkpoint of a worker group was not written yet', { ...this.id, error });
      },
    });
  }

  get isPossible(): boolean {
    return this.deps.groupStore !== undefined && this.deps.messageStore !== undefined;
  }

  get hasCheckpoint(): boolean {
    return this.written !== undefined;
  }

  /** Resolves when nothing is left to be written. */
  get settled(): Promise<void> {
    return this.writes.settled;
  }

  /** Gives up what is not written yet. */
  abandon(): void {
    this.writes.abandon();
  }

  /** Sets the current room and scope of the topic; their slugs may be reused later. */
  belongsTo(place: string): void {
    this.place = place;
  }

  /** Called on the leader at the beginning and once a second: if all gateways are killed, the group continues from here. */
  checkpoint(state: GroupState): void {
    const { clock } = this.deps;
    if (!this.isPossible || state.isBacklogPending || !state.mayCollect) return;
    const progress = this.fewOf(state);
    const isFresh = this.written && clock.now() - this.written.at < refreshMs;
    if (isFresh && isDeepStrictEqual(this.written?.progress, progress)) return;
    const stored = this.storedAs(progress);
    this.writes.next(async () => this.deps.groupStore?.write(stored));
  }

  /** The last member has left: this checkpoint is exact. */
  emptied(state: GroupState): void {
    if (!this.isPossible) return;
    if (!state.collectsWhenEmpty) return state.isBacklogPending ? undefined : this.remove();
    const { isBacklogPending } = state;
    // Before its backlog was replayed, the former checkpoint remains valid, also one that is still being written.
    if (isBacklogPending && this.hasCheckpoint) return;
    const undone = [...state.open.keys()];
    const progress = { sinceMs: state.seen.floorMs, undone, done: this.acknowledgedOf(state) };
    const stored = this.storedAs(progress);
    this.writes.last(async () => {
      if (isBacklogPending && (await this.load()) !== undefined) return;
      await this.deps.groupStore?.write(stored);
    });
  }

  /** [WS-GROUP-9] Nobody may wake it by this checkpoint, whichever of its gateways ends last, and how. */
  collectsNoMore(state: GroupState, isLeader: boolean): void {
    if (!this.isPossible || state.isBacklogPending) return;
    // One that has led before may have written it, and be gone.
    if (isLeader || this.hasCheckpoint) this.remove();
  }

  /** [WS-GROUP-10] Replays the missed messages to one member. Rejects with `EngineUnavailable`. */
  async replay(target: ReplayTarget): Promise<'replayed' | 'nothing' | 'interrupted'> {
    const { groupStore, messageStore } = this.deps;
    if (groupStore === undefined || messageStore === undefined) return 'nothing';
    await this.settled;
    const stored = await this.load();
    if (stored === undefined) return 'nothing';
    const ids = await replay(messageStore, stored, target);
    if (ids === undefined) return 'interrupted';
    this.replayed = ids;
    return 'replayed';
  }

  /** [WS-GROUP-10] Names few messages, since it is written again and again: where there are more, some that were acknowledged are replayed. */
  private fewOf(state: GroupState): Progress {
    const { floorMs, size } = state.seen;
    const done = size + this.replayed.length > mostNamed ? [] : this.acknowledgedOf(state);
    // Those that were made later are missed anyway.
    const undone = [...state.open.keys()].filter((id) => acceptedAt(id) < floorMs);
    return undone.length > mostNamed
      ? { sinceMs: state.acknowledgedUntilMs, undone: [], done }
      : { sinceMs: floorMs, undone, done };
  }

  private acknowledgedOf({ seen, open }: GroupState): readonly string[] {
    return [...seen.ids, ...this.replayed].filter((id) => !open.has(id));
  }

  private async load(): Promise<GroupCheckpoint | undefined> {
    const stored = await this.deps.groupStore?.load(this.id.topic, this.id.group);
    const isExpired = stored === undefined || stored.expiresAt <= this.deps.clock.now();
    return isExpired || stored.place !== this.place ? undefined : stored;
  }

  private storedAs(progress: Progress): GroupCheckpoint {
    const at = this.deps.clock.now();
    this.written = { progress, at };
    return { ...this.id, place: this.place, ...progress, expiresAt: at + collectsMs };
  }

  private remove(): void {
    this.written = undefined;
    this.writes.last(async () => this.deps.groupStore?.remove(this.id.topic, this.id.group));
  }
}

/**
 * Oldest first. The store is read twice, to count and then to deliver, because the messages may not fit in memory.
 * Resolves with the ids, or with undefined when the member has left.
 */
const replay = async (
  messageStore: MessageStore,
  stored: GroupCheckpoint,
  target: ReplayTarget,
): Promise<readonly string[] | undefined> => {
  if (target.limit === undefined) return [];
  const ids = await missedIds(messageStore, stored, target, target.limit);
  if (ids.size === 0) return [];
  const given: string[] = [];
  target.begin(ids.size);
  for await (const { message } of recorded(messageStore, stored)) {
    if (!ids.delete(message.id)) continue;
    if (!(await target.give(message))) return undefined;
    given.push(message.id);
    if (ids.size === 0) break;
  }
  target.end(given.length);
  return given;
};

/** Those of the newest missed messages. */
const missedIds = async (
  messageStore: MessageStore,
  stored: GroupCheckpoint,
  target: ReplayTarget,
  limit: number,
): Promise<Set<string>> => {
  const [done, undone] = [new Set(stored.done), new Set(stored.undone)];
  const isMissed = (recording: RecordedMessage): boolean => {
    const { id } = recording.message;
    return undone.has(id) || (publishedAt(recording) >= stored.sinceMs && !done.has(id));
  };
  const ids = new Set<string>();
  for await (const recording of recorded(messageStore, stored)) {
    const { message } = recording;
    if (!isMissed(recording) || !target.isEligible(message)) continue;
    ids.add(message.id);
    if (ids.size > limit) ids.delete(ids.values().next().value as string);
  }
  return ids;
};

/**
 * A message with a given id whose gateway was killed is sent by another one, under the id and with the time of the first. So much later, it is
 * one that the group may never have seen.
 */
const takenOverAfterMs = 15_000;

const publishedAt = ({ message: { id }, recordedAt }: RecordedMessage): number =>
  recordedAt - acceptedAt(id) > takenOverAfterMs ? recordedAt : acceptedAt(id);

const recorded = async function* (
  messageStore: MessageStore,
  stored: GroupCheckpoint,
): AsyncGenerator<RecordedMessage> {
  const oldest = stored.undone.reduce((time, id) => Math.min(time, acceptedAt(id)), stored.sinceMs);
  const range = { sinceMs: oldest - clockMarginMs, limit: maxExamined };
  const { pages } = await messageStore.replay(stored.topic, range);
  for await (const page of pages) yield* page;
};
