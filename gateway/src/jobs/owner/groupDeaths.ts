import { setTimeout as pause } from 'node:timers/promises';
import type { JobStore, StoredJob } from '@roomwire/shared/ports/jobStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { Job } from '../queue/job.js';
import type { JobCounts } from '../queue/jobCounts.js';
import type { DeathCause } from '../queue/jobOutputs.js';
import type { JobQueue } from '../queue/jobQueue.js';
import type { Burial } from './burial.js';
import type { GroupBacklog } from './groupBacklog.js';
import type { GroupDescription } from './groupDescription.js';
import type { JobPacking } from './jobPacking.js';
import type { OldestJobs } from './oldestJobs.js';

export interface GroupDeathsDeps {
  readonly description: Pick<GroupDescription, 'record' | 'reached'>;
  readonly queue: Pick<JobQueue, 'buried' | 'withdraw'>;
  readonly backlog: Pick<GroupBacklog, 'exceeded' | 'forget'>;
  readonly oldest: OldestJobs;
  readonly packing: JobPacking;
  readonly store: Pick<JobStore, 'get'>;
  /** Resolves when what has changed is in the store. */
  readonly flushed: () => Promise<void>;
  readonly burial: Burial;
  readonly counts: JobCounts;
  readonly logger: Logger;
}

const retryMs = 500;

/** The jobs of one group that become dead letters. */
export class GroupDeaths {
  private readonly deps: GroupDeathsDeps;
  private isMakingRoom = false;
  private isOver = false;

  constructor(deps: GroupDeathsDeps) {
    this.deps = deps;
  }

  close(): void {
    this.isOver = true;
  }

  /** Its message may be in the store alone. It is tried on until it is a dead letter. */
  async bury(job: Job, cause: DeathCause): Promise<void> {
    const { burial, counts, description, queue } = this.deps;
    const message = job.message ?? (await this.messageOf(job.seq));
    if (this.isOver || message === undefined) return;
    const dead = { message, seq: job.seq, counted: job.counted, cause };
    if (!(await burial.bury(description.record, dead)) || this.isOver) return;
    counts.dead[cause]++;
    queue.buried(job.seq);
  }

  /** The oldest of too many; not those that members have. */
  async makeRoom(): Promise<void> {
    if (this.isMakingRoom) return;
    this.isMakingRoom = true;
    const { oldest, logger, description } = this.deps;
    try {
      await oldest.each((job) => this.buryIfTooMany(job));
    } catch (error) {
      logger.debug('Jobs of a full group could not be read', { groupId: description.record.groupId, error });
    } finally {
      this.isMakingRoom = false;
    }
  }

  /** Whether there may be too many still. */
  private async buryIfTooMany({ seq, message, counted }: StoredJob): Promise<boolean> {
    const { queue, packing, burial, counts, description, backlog } = this.deps;
    const bound = this.isOver ? undefined : backlog.exceeded;
    if (bound === undefined) return false;
    if (!queue.withdraw(seq)) return true;
    const dead = { message: packing.unpack(message), seq, counted, cause: 'group_full' } as const;
    if (!(await burial.bury(description.record, dead)) || this.isOver) return false;
    counts.dead.group_full++;
    description.reached(bound);
    backlog.forget(seq, message.length);
    return true;
  }

  private async messageOf(seq: number): Promise<LiveMessage | undefined> {
    const { flushed, store, packing, description } = this.deps;
    while (!this.isOver) {
      try {
        await flushed();
        const [job] = await store.get(description.record.groupId, [seq]);
        return job && packing.unpack(job.message);
      } catch {
        await pause(retryMs, undefined, { ref: false });
      }
    }
    return undefined;
  }
}
