import type { Clock } from '@roomwire/shared/ports/clock';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { JobQueue } from '../queue/jobQueue.js';
import type { Gathering } from './gathering.js';
import type { GroupBacklog } from './groupBacklog.js';
import type { GroupDescription } from './groupDescription.js';
import type { OldestJobs } from './oldestJobs.js';

export interface GroupAgeDeps {
  readonly description: Pick<GroupDescription, 'record' | 'reached' | 'change'>;
  readonly backlog: Pick<GroupBacklog, 'depth' | 'forget'>;
  readonly queue: Pick<JobQueue, 'members' | 'withdraw'>;
  readonly oldest: OldestJobs;
  readonly gathered: Pick<Gathering, 'isOver'>;
  readonly clock: Clock;
}

const keptMs = limitTable.emptyJobGroupMs.value;

/** [WS-JOB-4] [WS-JOB-12] How long a group without members, or its jobs, are kept. */
export class GroupAge {
  private readonly deps: GroupAgeDeps;
  private oldestStored: number | undefined;

  constructor(deps: GroupAgeDeps) {
    this.deps = deps;
  }

  /** When the oldest job was added, as it was last looked at; Unix milliseconds. */
  get oldestAt(): number | undefined {
    return this.oldestStored;
  }

  /** Now and then. Whether the group itself is over. */
  async look(): Promise<'expired' | 'kept'> {
    const { description, backlog, oldest, clock } = this.deps;
    this.oldestStored = backlog.depth === 0 ? undefined : (await oldest.take(1))[0]?.addedAt;
    const { emptiedAt, isPermanent } = description.record;
    const now = clock.now();
    if (emptiedAt === null) this.noteMissingMembers(now);
    if (emptiedAt === null || emptiedAt + keptMs > now) return 'kept';
    if (!isPermanent) {
      description.reached('emptyJobGroupMs');
      return 'expired';
    }
    await this.forgetOlderThan(now - keptMs, emptiedAt);
    return 'kept';
  }

  /** Its last member may have died together with its former owner. */
  private noteMissingMembers(now: number): void {
    const { description, queue, gathered } = this.deps;
    if (queue.members.size === 0 && gathered.isOver) description.change({ emptiedAt: now });
  }

  private async forgetOlderThan(time: number, emptiedAt: number): Promise<void> {
    const { oldest, queue, description, backlog } = this.deps;
    await oldest.each((job) => {
      if (Math.max(job.addedAt, emptiedAt) > time || queue.members.size > 0) return false;
      if (queue.withdraw(job.seq)) {
        description.reached('emptyJobGroupMs');
        backlog.forget(job.seq, job.message.length);
      }
      return true;
    });
  }
}
