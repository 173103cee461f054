import type { Clock } from '@roomwire/shared/ports/clock';
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
import { topicNameOf } from '@roomwire/shared/domain/topic';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { limitTable, type LimitName } from '@roomwire/shared/wire/limits/limitTable';
import type { AgingIds } from '../../fanout/recentIds.js';
import { mayComeTwice } from '../../history/replayedMessages.js';
import { JobMember, type JobRecipient, type JobWishes } from '../queue/job.js';
import type { JobOutputs } from '../queue/jobOutputs.js';
import { JobQueue } from '../queue/jobQueue.js';
import type { Gathering } from './gathering.js';
import { GroupChanges } from './groupChanges.js';
import { GroupDeaths } from './groupDeaths.js';
import { JobReads } from './jobReads.js';
import type { Burial } from './burial.js';
import { JobPacking } from './jobPacking.js';
import { OldestJobs } from './oldestJobs.js';
import type { TakenMessages } from './takenMessages.js';
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
  readonly gathered: Pick<Gathering, 'isOver' | 'done'>;
  readonly limits: Pick<LimitReports, 'reached'>;
  /** Something is to be written: soon, or within a moment. */
  readonly changed: (group: OwnedGroup, isSoon: boolean) => void;
  readonly flushed: () => Promise<void>;
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

export interface JoiningMember {
  readonly actorTokenId: string;
  readonly wishes: JobWishes;
  readonly options: JobOptions;
  /** From an earlier owner of the group: jobs that it has, and those that it has acknowledged a moment ago. */
  readonly held: readonly number[];
  readonly settled: readonly number[];
}

const jobWindow = { lowJobs: 1_000, jobs: 4_000, bytes: 4 * 1024 * 1024 };
/** So many changes are not left to wait. */
const mostChanges = 5_000;
const keptMs = limitTable.emptyJobGroupMs.value;

/** A group with jobs on the gateway that owns it: its queue, and what is around it. */
export class OwnedGroup {
  private described: JobGroupRecord;
  private readonly deps: OwnedGroupDeps;
  private readonly queue: JobQueue;
  private readonly reads: JobReads;
  private readonly packing: JobPacking;
  private readonly oldest: OldestJobs;
  private readonly deaths: GroupDeaths;
  private readonly changes = new GroupChanges();
  private readonly taken: AgingIds;
  private depth: number;
  private bytes: number;
  private lastSeq: number;
  private collectedTo: number;
  /** As it was last looked at. */
  private oldestStored: number | undefined;
  /** Their clients can have jobs, which nobody gets yet. */
  private readonly early: JobMember[] = [];
  /** Numbers of jobs that are being looked for. */
  private readonly unseen = new Set<number>();
  private isOver = false;
  private isHandedOver = false;

  constructor(stored: StoredJobGroup, deps: OwnedGroupDeps) {
    const { depth, bytes, lastSeq, collected, ...described } = stored;
    this.deps = deps;
    this.described = described;
    this.packing = new JobPacking(described);
    this.depth = depth;
    this.bytes = bytes;
    this.lastSeq = lastSeq;
    this.collectedTo = collected;
    this.taken = deps.taken.open();
    const { clock, store, logger } = deps;
    const queueDeps = { window: jobWindow, counts: deps.counts, now: () => clock.monotonic() };
    this.queue = new JobQueue(stored, queueDeps, this.outputs);
    this.reads = new JobReads({
      ...{ groupId: stored.groupId, queue: this.queue, packing: this.packing, store, clock, logger },
      lastSeq: () => this.lastSeq,
      flushed: deps.flushed,
    });
    this.oldest = new OldestJobs({ groupId: stored.groupId, store, flushed: deps.flushed });
    this.deaths = new GroupDeaths({
      ...deps,
      ...{ queue: this.queue, packing: this.packing, oldest: this.oldest },
      record: () => this.described,
      exceeded: () => this.exceeded,
      reached: (limit) => this.reached(limit),
      forget: (seq, bytes) => this.forget(seq, bytes),
    });
  }

  get record(): JobGroupRecord {
    return this.described;
  }

  get groupId(): string {
    return this.described.groupId;
  }

  /** How far it has collected in the room's log. */
  get collected(): number {
    return this.collectedTo;
  }

  /** It collects what is behind this offset; below 0 where messages have none. */
  begin(offset: number): void {
    if (offset < 0) return;
    this.collectedTo = offset;
    this.changes.collect(offset);
    this.deps.changed(this, true);
  }

  get isClosed(): boolean {
    return this.isOver;
  }

  /** Whether the bus keeps what the group has not collected yet. */
  get hasLog(): boolean {
    return this.collectedTo >= 0;
  }

  get members(): number {
    return this.queue.members.size;
  }

  get load(): GroupLoad {
    const { depth, bytes, queue } = this;
    const oldestAt = depth === 0 ? undefined : (queue.oldestAt ?? this.oldestStored);
    return { depth, bytes, inFlight: queue.inFlight, oldestAt };
  }

  /** Another room may have the same address. */
  belongsTo({ roomId, accessScopeId }: Pick<JobGroupOwners, 'roomId' | 'accessScopeId'>): boolean {
    const { owners } = this.described;
    return owners.roomId === roomId && owners.accessScopeId === accessScopeId;
  }

  /** A message that the group, or its former owner, has had: another copy of it is none of its jobs. */
  hadBefore(id: string): void {
    this.taken.isRepeated(id);
  }

  /** A message of its topic. `offset`: in the room's log, where there is one. */
  take(message: LiveMessage, offset: number): void {
    if (this.hasLog) {
      if (offset <= this.collectedTo) return this.hadBefore(message.id);
      this.collectedTo = offset;
      this.changes.collect(offset);
    }
    // [WS-JOB-2] It may be on the bus twice.
    if (this.taken.isRepeated(message.id)) return;
    // Members of before that are not back yet may want what those that are here leave out.
    if (!this.deps.gathered.isOver || this.queue.takes(message)) this.add(message);
  }

  /** A new job, behind the others. */
  add(message: LiveMessage): void {
    const { clock, counts } = this.deps;
    const seq = ++this.lastSeq;
    const [addedAt, packed] = [clock.now(), this.packing.pack(message)];
    const id = mayComeTwice(message) ? message.id : undefined;
    this.changes.add({ seq, message: packed, addedAt, ...(id !== undefined && { id }) });
    this.depth++;
    this.bytes += packed.length;
    counts.added++;
    this.deps.changed(this, true);
    this.queue.add({ seq, message, addedAt, bytes: packed.length });
    if (this.exceeded) void this.deaths.makeRoom();
    this.settleDown();
  }

  join({ actorTokenId, wishes, options, held, settled }: JoiningMember, recipient: JobRecipient): JobMember {
    const member = new JobMember(actorTokenId, wishes, recipient);
    for (const seq of settled) this.queue.settle(seq);
    this.queue.join(member);
    this.queue.adopt(member, held);
    this.redescribe({ options, emptiedAt: null });
    this.settleDown();
    return member;
  }

  ask(member: JobMember, wishes: JobWishes, options: JobOptions): void {
    this.queue.ask(member, wishes);
    this.redescribe({ options });
    this.settleDown();
  }

  /** Nobody gets jobs before it is known which ones members have from an earlier owner. */
  ready(member: JobMember): void {
    const { gathered } = this.deps;
    if (gathered.isOver) return this.serve([member]);
    this.early.push(member);
    if (this.early.length === 1) void gathered.done.then(() => this.serve(this.early.splice(0)));
  }

  leave(member: JobMember): void {
    this.queue.leave(member);
    if (this.members === 0) this.redescribe({ emptiedAt: this.deps.clock.now() });
    this.settleDown();
  }

  settle(seq: number): void {
    this.queue.settle(seq);
    this.settleDown();
  }

  giveBack(member: JobMember, seq: number, delayMs: number): void {
    this.queue.giveBack(member, seq, delayMs);
    this.settleDown();
  }

  progress(member: JobMember, seq: number): void {
    this.queue.progress(member, seq);
  }

  /** Made over REST. */
  async madePermanent(options: JobOptions): Promise<void> {
    this.redescribe({ options, isPermanent: true });
    await this.deps.described();
  }

  /** A few times a second. */
  tick(): void {
    this.queue.tick();
    this.settleDown();
  }

  /** Once a second. */
  noteDeliveries(): void {
    this.queue.noteDeliveries();
  }

  /** Another process is to own it. */
  handOver(): void {
    this.isHandedOver = true;
    this.queue.handOver();
  }

  /** Now and then. Whether the group itself is over. */
  async expire(): Promise<'expired' | 'kept'> {
    const { emptiedAt, isPermanent } = this.described;
    this.oldestStored = this.depth === 0 ? undefined : (await this.oldest.take(1))[0]?.addedAt;
    const now = this.deps.clock.now();
    if (emptiedAt === null || emptiedAt + keptMs > now) return 'kept';
    if (!isPermanent) {
      this.reached('emptyJobGroupMs');
      return 'expired';
    }
    await this.oldest.each((job) => {
      if (Math.max(job.addedAt, emptiedAt) + keptMs > now || this.members > 0) return false;
      if (this.queue.withdraw(job.seq)) {
        this.reached('emptyJobGroupMs');
        this.forget(job.seq, job.message.length);
      }
      return true;
    });
    return 'kept';
  }

  async show(): Promise<JobGroup> {
    const { groupId, topic, name, owners, options, createdAt } = this.described;
    const [oldest] = await this.oldest.take(1);
    return {
      ...{ groupId, topic: topicNameOf(topic), name, options, createdAt },
      accessScopeId: owners.accessScopeId,
      ...{ depth: this.depth, inFlight: this.queue.inFlight, members: this.members },
      oldestAt: oldest === undefined ? null : acceptedAt(this.packing.unpack(oldest.message).id),
    };
  }

  async peek(limit: number): Promise<readonly PeekedJob[]> {
    const jobs = await this.oldest.take(limit);
    return jobs.map(({ deliveries, message }) => {
      const { id, publisher, filters, body } = this.packing.unpack(message);
      const from = publisher === '' ? null : publisher;
      return { msgId: id, from, at: acceptedAt(id), deliveries, filters, body };
    });
  }

  takeChanges(): JobChanges | undefined {
    return this.changes.isEmpty || this.isOver ? undefined : this.changes.take(this.groupId);
  }

  /** Deleted, or owned by another process from now on. */
  close(isDeleted: boolean): void {
    this.isOver = true;
    this.deps.taken.close(this.taken);
    this.reads.close();
    this.oldest.close();
    this.deaths.close();
    if (isDeleted) for (const { recipient } of this.queue.members) recipient.ended();
  }

  private readonly outputs: JobOutputs = {
    settled: ({ seq, bytes }) => this.forget(seq, bytes),
    changed: ({ seq, deliveries, counted }, delayMs) => {
      const dueAt = delayMs === 0 ? 0 : this.deps.clock.now() + delayMs;
      this.changes.change({ seq, deliveries, counted, dueAt });
      this.deps.changed(this, false);
    },
    dying: (job, cause) => void this.deaths.bury(job, cause),
    fetch: ({ seq }) => this.reads.fetch(seq),
    settleUnseen: (seq) => void this.settleUnseen(seq),
  };

  /** Several get their shares of what waits. */
  private serve(members: readonly JobMember[]): void {
    if (this.isOver || this.isHandedOver) return;
    this.queue.ready(...members.filter((member) => this.queue.members.has(member)));
    this.settleDown();
  }

  private redescribe(changed: Partial<JobGroupRecord>): void {
    this.described = { ...this.described, ...changed };
    if (changed.options) this.queue.choose(changed.options);
    this.deps.describe(this);
  }

  private forget(seq: number, bytes: number): void {
    this.depth--;
    this.bytes -= bytes;
    this.changes.settle(seq);
    this.deps.changed(this, this.changes.size > mostChanges);
  }

  private settleDown(): void {
    this.reads.loadWanted();
  }

  /** Acknowledged by somebody who had it before, while it is in the store alone, if it is there. */
  private async settleUnseen(seq: number): Promise<void> {
    if (this.unseen.has(seq)) return;
    this.unseen.add(seq);
    try {
      await this.deps.flushed();
      const [job] = await this.deps.store.get(this.groupId, [seq]);
      if (job === undefined || !this.queue.withdraw(seq)) return;
      this.deps.counts.acknowledged++;
      this.forget(seq, job.message.length);
    } catch (error) {
      // It is handed out once more.
      this.deps.logger.debug('A job could not be settled', { groupId: this.groupId, error });
    } finally {
      this.unseen.delete(seq);
    }
  }

  private get exceeded(): LimitName | undefined {
    const { jobs, bytes } = this.deps.bounds;
    if (this.depth > jobs) return 'groupJobs';
    return this.bytes > bytes ? 'groupJobBytes' : undefined;
  }

  private reached(limit: LimitName): void {
    const { owners, topic, name } = this.described;
    this.deps.limits.reached(limit, { projectId: owners.projectId, topic, group: name });
  }
}
