import type { Clock } from '@roomwire/shared/ports/clock';
import type { GroupStore, StoredGroup } from '@roomwire/shared/ports/groupStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import type { GroupState } from './groupState.js';
import { replay, type ReplayTarget } from './replay.js';

export interface SleepDeps {
  /** Undefined where messages are not recorded: then there is nothing to sleep for. */
  readonly record: MessageStore | undefined;
  readonly store: GroupStore | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Progress = Pick<StoredGroup, 'sinceMs' | 'undone' | 'done'>;

/** [WS-GROUP-9] After the last member has gone. */
const keptMs = 24 * 3_600_000;
/** A group whose members stay is written this often, changed or not, so that it does not expire. */
const refreshMs = 3_600_000;

/** What is remembered of one group, so that it can be woken when all its members, and all gateways, were gone. */
export class GroupSleep {
  private readonly deps: SleepDeps;
  private readonly id: Pick<StoredGroup, 'topic' | 'group'>;
  private writing: Promise<void> = Promise.resolve();
  private written: { readonly sinceMs: number; readonly at: number } | undefined;
  /** What the last waking gave out. */
  private replayed: readonly string[] = [];
  private place = '';

  constructor({ topic, group }: Pick<StoredGroup, 'topic' | 'group'>, deps: SleepDeps) {
    this.id = { topic, group };
    this.deps = deps;
  }

  get isPossible(): boolean {
    return this.deps.store !== undefined && this.deps.record !== undefined;
  }

  /** Whether anything is known of it, should all gateways die. */
  get isWritten(): boolean {
    return this.written !== undefined;
  }

  /** Resolves when all that was to be written is, or could not be. */
  get settled(): Promise<void> {
    return this.writing;
  }

  /** Where the topic's name leads now; another room may have it tomorrow. */
  isAt(place: string): void {
    this.place = place;
  }

  /** When it begins and once a second, by the sequencer: if all gateways died now, this is how far the group had come. */
  look(state: GroupState): void {
    const { clock } = this.deps;
    if (!this.isPossible || state.isWaking || !state.mayCollect) return;
    const sinceMs = state.doneUntil;
    const isFresh = this.written && clock.now() - this.written.at < refreshMs;
    if (isFresh && this.written?.sinceMs === sinceMs) return;
    this.write({ sinceMs, undone: [], done: [] });
  }

  /** The last member has gone. */
  emptied(state: GroupState): void {
    if (!this.isPossible) return;
    if (!state.collects) return state.isWaking ? undefined : this.forget();
    const isDone = (id: string): boolean => !state.held.has(id);
    const progress = {
      sinceMs: state.passed.floorMs,
      undone: [...state.held.keys()],
      done: [...state.passed.record.ids, ...this.replayed].filter(isDone),
    };
    if (state.isWaking) this.writeFirst(progress);
    else this.write(progress);
  }

  /** Gives a member what was recorded while nobody was there. Rejects with `EngineUnavailable`. */
  async wake(target: ReplayTarget): Promise<'woken' | 'nothing there' | 'left'> {
    const { store, record } = this.deps;
    if (store === undefined || record === undefined) return 'nothing there';
    await this.writing;
    const stored = await this.asleep();
    if (stored === undefined) return 'nothing there';
    const ids = await replay(record, stored, target);
    if (ids === undefined) return 'left';
    this.replayed = ids;
    return 'woken';
  }

  /** What there is to be woken. */
  private async asleep(): Promise<StoredGroup | undefined> {
    const stored = await this.deps.store?.load(this.id.topic, this.id.group);
    const isOver = stored === undefined || stored.expiresAt <= this.deps.clock.now();
    return isOver || stored.place !== this.place ? undefined : stored;
  }

  private write(progress: Progress): void {
    const stored = this.storedAs(progress);
    this.perform(() => this.deps.store?.write(stored));
  }

  /** It has gone before it was woken: if there was something to be woken, that is as it was. */
  private writeFirst(progress: Progress): void {
    const stored = this.storedAs(progress);
    this.perform(async () => {
      if ((await this.asleep()) === undefined) await this.deps.store?.write(stored);
    });
  }

  private storedAs(progress: Progress): StoredGroup {
    const at = this.deps.clock.now();
    this.written = { sinceMs: progress.sinceMs, at };
    return { ...this.id, place: this.place, ...progress, expiresAt: at + keptMs };
  }

  private forget(): void {
    if (this.written === undefined) return;
    this.written = undefined;
    this.perform(() => this.deps.store?.forget(this.id.topic, this.id.group));
  }

  private perform(action: () => Promise<void> | undefined): void {
    this.writing = this.writing.then(action).catch((error: unknown) => {
      this.written = undefined;
      this.deps.logger.warn('A worker group could not be written down', { error });
    });
  }
}
