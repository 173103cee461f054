import { randomUUID } from 'node:crypto';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type {
  CreatedJobGroup,
  JobGroup,
  JobGroups,
  NewJobGroup,
  PeekedJob,
} from '@roomwire/shared/ports/jobGroups';

interface Kept {
  readonly projectId: string;
  readonly roomId: string;
  readonly group: JobGroup;
}

/** Worker groups with jobs that nothing is ever published to. */
export class MemoryJobGroups implements JobGroups {
  /** Names of groups whose members have no jobs. */
  readonly withoutJobs = new Set<string>();
  /** What lies in each of the groups. */
  jobs: readonly PeekedJob[] = [];
  isAway = false;
  private readonly kept = new Map<string, Kept>();

  async create({
    projectId,
    roomId,
    topic,
    name,
    accessScopeId,
    options,
  }: NewJobGroup): Promise<CreatedJobGroup> {
    this.reach();
    if (this.withoutJobs.has(name)) return 'withoutJobs';
    const former = this.in(projectId, roomId).find(
      (one) => one.topic === topic && one.name === name && one.accessScopeId === accessScopeId,
    );
    const group = former ?? {
      ...{ groupId: randomUUID(), topic, name, accessScopeId, createdAt: Date.now() },
      ...{ depth: this.jobs.length, inFlight: 0, oldestAt: this.jobs[0]?.at ?? null, members: 0 },
    };
    const isNew = former === undefined;
    const configured = { ...group, options };
    this.kept.set(group.groupId, { projectId, roomId, group: configured });
    return { group: configured, isNew };
  }

  async list(projectId: string, roomId: string): Promise<readonly JobGroup[]> {
    this.reach();
    return this.in(projectId, roomId).sort((one, other) => (one.groupId < other.groupId ? -1 : 1));
  }

  async get(projectId: string, roomId: string, groupId: string): Promise<JobGroup | undefined> {
    this.reach();
    return this.in(projectId, roomId).find((group) => group.groupId === groupId);
  }

  async peek(...[projectId, roomId, groupId, limit]: Parameters<JobGroups['peek']>) {
    return (await this.get(projectId, roomId, groupId)) && this.jobs.slice(0, limit);
  }

  async delete(projectId: string, roomId: string, groupId: string): Promise<boolean> {
    return (await this.get(projectId, roomId, groupId)) !== undefined && this.kept.delete(groupId);
  }

  private in(projectId: string, roomId: string): JobGroup[] {
    return [...this.kept.values()]
      .filter((one) => one.projectId === projectId && one.roomId === roomId)
      .map(({ group }) => group);
  }

  private reach(): void {
    if (this.isAway) throw new EngineUnavailable('worker groups');
  }
}
