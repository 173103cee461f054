import type { JobGroupOwners, JobGroupRecord } from '@roomwire/shared/ports/jobStore';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { LimitName } from '@roomwire/shared/wire/limits/limitTable';

export interface GroupDescriptionDeps {
  /** It is to be written. */
  readonly changed: () => void;
  readonly limits: Pick<LimitReports, 'reached'>;
}

/** What is said of a group: where it is, what it was asked for, and since when it has no member. */
export class GroupDescription {
  private readonly deps: GroupDescriptionDeps;
  private described: JobGroupRecord;

  constructor(record: JobGroupRecord, deps: GroupDescriptionDeps) {
    this.described = record;
    this.deps = deps;
  }

  get record(): JobGroupRecord {
    return this.described;
  }

  change(changed: Partial<JobGroupRecord>): void {
    this.described = { ...this.described, ...changed };
    this.deps.changed();
  }

  /** Another room may have the same address. */
  belongsTo({ roomId, accessScopeId }: Pick<JobGroupOwners, 'roomId' | 'accessScopeId'>): boolean {
    const { owners } = this.described;
    return owners.roomId === roomId && owners.accessScopeId === accessScopeId;
  }

  /** A limit of the group. */
  reached(limit: LimitName): void {
    const { owners, topic, name } = this.described;
    this.deps.limits.reached(limit, { projectId: owners.projectId, topic, group: name });
  }
}
