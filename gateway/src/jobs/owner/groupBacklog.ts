import type { Clock } from '@roomwire/shared/ports/clock';
import type { JobChanges, JobProgress, StoredJobGroup } from '@roomwire/shared/ports/jobStore';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { LimitName } from '@roomwire/shared/wire/limits/limitTable';
import { mayComeTwice } from '../../history/replayedMessages.js';
import type { JobFields } from '../queue/job.js';
import { GroupChanges } from './groupChanges.js';
import type { JobPacking } from './jobPacking.js';

export interface GroupBacklogDeps {
  readonly clock: Clock;
  readonly packing: JobPacking;
  /** Of its jobs, and of their messages. */
  readonly bounds: { readonly jobs: number; readonly bytes: number };
  /** Something is to be written: soon, or within a moment. */
  readonly changed: (isSoon: boolean) => void;
}

/** So many changes are not left to wait. */
const mostChanges = 5_000;

/** What a group has in the store, and what is to be written there. */
export class GroupBacklog {
  private readonly deps: GroupBacklogDeps;
  private readonly groupId: string;
  private readonly changes = new GroupChanges();
  private jobs: number;
  private jobBytes: number;
  private newest: number;
  private collectedTo: number;

  constructor(
    {
      groupId,
      depth,
      bytes,
      lastSeq,
      collected,
    }: Pick<StoredJobGroup, 'groupId' | 'depth' | 'bytes' | 'lastSeq' | 'collected'>,
    deps: GroupBacklogDeps,
  ) {
    this.groupId = groupId;
    this.jobs = depth;
    this.jobBytes = bytes;
    this.newest = lastSeq;
    this.collectedTo = collected;
    this.deps = deps;
  }

  get depth(): number {
    return this.jobs;
  }

  /** Of the messages. */
  get bytes(): number {
    return this.jobBytes;
  }

  /** The number of the newest job. */
  get lastSeq(): number {
    return this.newest;
  }

  /** How far the group has collected in the room's log; below 0 where messages have no offsets. */
  get collected(): number {
    return this.collectedTo;
  }

  /** The bound that the group is beyond. */
  get exceeded(): LimitName | undefined {
    const { jobs, bytes } = this.deps.bounds;
    if (this.jobs > jobs) return 'groupJobs';
    return this.jobBytes > bytes ? 'groupJobBytes' : undefined;
  }

  /** Written with what changes next. */
  collect(offset: number): void {
    this.collectedTo = offset;
    this.changes.collect(offset);
  }

  /** A new job, behind the others. */
  add(message: LiveMessage, redriveId?: string): JobFields {
    const { clock, packing, changed } = this.deps;
    const seq = ++this.newest;
    const [addedAt, packed] = [clock.now(), packing.pack(message)];
    const id = redriveId ?? (mayComeTwice(message) ? message.id : undefined);
    this.changes.add({ seq, message: packed, addedAt, ...(id !== undefined && { id }) });
    this.jobs++;
    this.jobBytes += packed.length;
    changed(true);
    return { seq, message, addedAt, bytes: packed.length };
  }

  change(progress: JobProgress): void {
    this.changes.change(progress);
    this.deps.changed(false);
  }

  /** The job is kept no longer. */
  forget(seq: number, bytes: number): void {
    this.jobs--;
    this.jobBytes -= bytes;
    this.changes.settle(seq);
    this.deps.changed(this.changes.size > mostChanges);
  }

  takeChanges(): JobChanges | undefined {
    return this.changes.isEmpty ? undefined : this.changes.take(this.groupId);
  }
}
