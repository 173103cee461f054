import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { JobGroup, JobOptions, PeekedJob } from '@roomwire/shared/ports/jobGroups';
import type {
  JobChanges,
  JobGroupOwners,
  JobGroupRecord,
  JobStore,
  StoredJobGroup,
} from '@roomwire/shared/ports/jobStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { AgingIds } from '../../fanout/recentIds.js';
import type { JobOutputs } from '../queue/jobOutputs.js';
import { JobQueue } from '../queue/jobQueue.js';
import type { Gathering } from './gathering.js';
import { GroupAge } from './groupAge.js';
import { GroupBacklog } from './groupBacklog.js';
import { GroupDeaths } from './groupDeaths.js';
import { GroupDescription } from './groupDescription.js';
import { GroupMembers } from './groupMembers.js';
import { JobReads } from './jobReads.js';
import type { Burial } from './burial.js';
import { JobPacking } from './jobPacking.js';
import { OldestJobs } from './oldestJobs.js';
import { peekedJob, shownGroup } from './shownGroup.js';
import type { TakenMessages } from './takenMessages.js';
import { UnseenJobs } from './unseenJobs.js';
import type { JobCounts } from '../queue/jobCounts.js';

export interface OwnedGroupDeps {
  readonly store: Pick<JobStore, 'page' | 'get'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly counts: JobCounts;
  readonly burial: Burial;
  readonly taken: Pick<TakenMessages, 'open' | 'close'>;
  /** Of its jobs, and of their messages. */
  readonly bounds: { readonly jobs: number; readonly bytes: number };
  readonly gathered: Pick<Gathering, 'isOver' | 'isComplete' | 'done'>;
  readonly limits: Pick<LimitReports, 'reached'>;
  /** Something is to be written: soon, or within a moment. */
  readonly changed: (group: OwnedGroup, isSoon: boolean) => void;
  readonly flushed: () => Promise<void>;
  /** What has changed before is in the store; monotonic milliseconds. */
  readonly storedUntil: () => number;
  /** What is said of the group has changed. */
  readonly describe: (group: OwnedGroup) => void;
  /** Resolves when it is written. */
  readonly described: () => Promise<void>;
}

export interface GroupLoad {
  readonly depth: number;
  readonly inFlight: number;
  readonly bytes: number;
  /** About when the oldest job was added; Unix milliseconds. */
  readonly oldestAt: number | undefined;
}

const jobWindow = { lowJobs: 1_000, jobs: 4_000, bytes: 4 * 1024 * 1024 };

/** A group with jobs on the gateway that owns it: what it collects, who its members are, and what they do with its jobs. */
export class OwnedGroup {
  /** Those that it has, on any gateway. */
  readonly members: GroupMembers;
  private readonly deps: OwnedGroupDeps;
  private readonly description: GroupDescription;
  private readonly queue: JobQueue;
  private readonly packing: JobPacking;
  private readonly backlog: GroupBacklog;
  private readonly reads: JobReads;
  private readonly oldest: OldestJobs;
  private readonly deaths: GroupDeaths;
  private readonly age: GroupAge;
  private readonly unseen: UnseenJobs;
  private readonly taken: AgingIds;
  private isOver = false;

  constructor(stored: StoredJobGroup, deps: OwnedGroupDeps) {
    const { depth, bytes, lastSeq, collected, ...record } = stored;
    const { groupId } = record;
    const { clock, store, flushed, counts, bounds, limits } = deps;
    this.deps = deps;
    this.taken = deps.taken.open();
    this.packing = new JobPacking(record);
    this.description = new GroupDescription(record, { changed: () => deps.describe(this), limits });
    const changed = (isSoon: boolean): void => deps.changed(this, isSoon);
    const kept = { groupId, depth, bytes, lastSeq, collected };
    this.backlog = new GroupBacklog(kept, { clock, packing: this.packing, bounds, changed });
    const queueDeps = { window: jobWindow, counts, now: () => clock.monotonic() };
    this.queue = new JobQueue(stored, queueDeps, this.outputs);
    this.oldest = new OldestJobs({ groupId, store, flushed });
    const { description, backlog, queue, packing, oldest } = this;
    const around = { ...deps, groupId, description, backlog, queue, packing, oldest };
    this.reads = new JobReads(around);
    this.deaths = new GroupDeaths(around);
    this.age = new GroupAge(around);
    this.unseen = new UnseenJobs(around);
    this.members = new GroupMembers({ ...around, reads: this.reads });
  }

  get record(): JobGroupRecord {
    return this.description.record;
  }

  get groupId(): string {
    return this.record.groupId;
  }

  /** How far it has collected in the room's log. */
  get collected(): number {
    return this.backlog.collected;
  }

  /** It collects what is behind this offset; below 0 where messages have none. */
  begin(offset: number): void {
    if (offset < 0) return;
    this.backlog.collect(offset);
    this.deps.changed(this, true);
  }

  get isClosed(): boolean {
    return this.isOver;
  }

  /** Whether the bus keeps what the group has not collected yet. */
  get hasLog(): boolean {
    return this.collected >= 0;
  }

  get load(): GroupLoad {
    const { depth, bytes } = this.backlog;
    const oldestAt = depth === 0 ? undefined : (this.queue.oldestAt ?? this.age.oldestAt);
    return { depth, bytes, inFlight: this.queue.inFlight, oldestAt };
  }

  /** What members have said before is in the store; monotonic milliseconds. */
  get storedUntil(): number {
    return this.unseen.storedUntil;
  }

  belongsTo(owners: Pick<JobGroupOwners, 'roomId' | 'accessScopeId'>): boolean {
    return this.description.belongsTo(owners);
  }

  /** A message that the group, or its former owner, has had: another copy of it is none of its jobs. */
  hadBefore(id: string): void {
    this.taken.isRepeated(id);
  }

  /** A message of its topic. `offset`: in the room's log, where there is one. */
  take(message: LiveMessage, offset: number): void {
    if (this.hasLog) {
      if (offset <= this.collected) return this.hadBefore(message.id);
      this.backlog.collect(offset);
    }
    // [WS-JOB-2] It may be on the bus twice.
    if (this.taken.isRepeated(message.id)) return;
    // Earlier members that have not returned yet may want what the present ones exclude.
    if (!this.deps.gathered.isComplete || this.queue.takes(message)) this.add(message);
  }

  /** A dead letter. The same redrive once more changes nothing: it is tried on until it is known to have succeeded. */
  putBack(message: LiveMessage, redriveId: string | undefined): void {
    if (redriveId === undefined || !this.taken.isRepeated(redriveId)) this.add(message, redriveId);
  }

  /** A new job, behind the others. */
  add(message: LiveMessage, redriveId?: string): void {
    const job = this.backlog.add(message, redriveId);
    this.deps.counts.added++;
    this.queue.add(job);
    if (this.backlog.exceeded) void this.deaths.makeRoom();
    this.reads.loadWanted();
  }

  /** Made over REST. */
  async madePermanent(options: JobOptions): Promise<void> {
    this.queue.choose(options);
    this.description.change({ options, isPermanent: true });
    await this.deps.described();
    // Otherwise its next owner may not know of it.
    if (this.isOver) throw new EngineUnavailable('jobs');
  }

  /** A few times a second. */
  tick(): void {
    this.queue.tick();
    this.reads.loadWanted();
  }

  /** Once a second. */
  noteDeliveries(): void {
    this.queue.noteDeliveries();
  }

  /** Another process is to own it. Resolves when what has been acknowledged is left to be committed. */
  async handOver(): Promise<void> {
    this.members.close();
    this.queue.handOver();
    await this.unseen.close();
  }

  /** Now and then. Whether the group itself is over. */
  expire(): Promise<'expired' | 'kept'> {
    return this.age.look();
  }

  async show(): Promise<JobGroup> {
    const [oldest] = await this.oldest.take(1);
    const { depth } = this.backlog;
    const counts = { depth, inFlight: this.queue.inFlight, members: this.members.count };
    return shownGroup(this.record, counts, oldest, this.packing);
  }

  async peek(limit: number): Promise<readonly PeekedJob[]> {
    return (await this.oldest.take(limit)).map((job) => peekedJob(job, this.packing));
  }

  takeChanges(): JobChanges | undefined {
    return this.isOver ? undefined : this.backlog.takeChanges();
  }

  /** Deleted, or owned by another process from now on. */
  close(isDeleted: boolean): void {
    this.isOver = true;
    this.deps.taken.close(this.taken);
    this.reads.close();
    this.oldest.close();
    this.deaths.close();
    void this.unseen.close();
    this.members.close();
    if (isDeleted) this.members.tellOfEnd();
  }

  private readonly outputs: JobOutputs = {
    settled: ({ seq, bytes }) => this.backlog.forget(seq, bytes),
    changed: ({ seq, deliveries, counted }, delayMs) => {
      const dueAt = delayMs === 0 ? 0 : this.deps.clock.now() + delayMs;
      this.backlog.change({ seq, deliveries, counted, dueAt });
    },
    dying: (job, cause) => void this.deaths.bury(job, cause),
    fetch: ({ seq }) => this.reads.fetch(seq),
    settleUnseen: (seq) => this.unseen.settle(seq),
  };
}
