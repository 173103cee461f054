import { connectionOf } from '@roomwire/shared/wire/bus/messageId';
import type { Job, JobMember } from './job.js';

import { Lane } from './lane.js';

/** The jobs that could be handed out, by the members that may have them. */
export class Lanes {
  private readonly members = new Set<JobMember>();
  /** One member for each selection. */
  private selections: readonly JobMember[] = [];
  private actors: ReadonlySet<string> = new Set();
  private readonly byName = new Map<string, Lane>();
  private readonly jobs = new Set<Job>();
  /** How many of the jobs each has published. */
  private readonly publishers = new Map<string, number>();

  get size(): number {
    return this.jobs.size;
  }

  add(job: Job): Lane {
    this.jobs.add(job);
    this.publishers.set(job.publisher, (this.publishers.get(job.publisher) ?? 0) + 1);
    return this.place(job);
  }

  remove(job: Job): void {
    if (!this.jobs.delete(job)) return;
    job.lane = undefined;
    const left = (this.publishers.get(job.publisher) ?? 0) - 1;
    if (left > 0) this.publishers.set(job.publisher, left);
    else this.publishers.delete(job.publisher);
  }

  /** The oldest job that the member may have. */
  firstFor(member: JobMember): Job | undefined {
    let oldest: Job | undefined;
    for (const lane of this.byName.values()) {
      if (!lane.eligible.has(member)) continue;
      const { first } = lane;
      if (first && (oldest === undefined || first.seq < oldest.seq)) oldest = first;
    }
    return oldest;
  }

  /** A new member, or one that asks for something else. Returns jobs that none of them may have: they are here no more. */
  joined(member: JobMember): readonly Job[] {
    const isNew = !this.members.has(member);
    this.members.add(member);
    const isLikeOthers =
      isNew &&
      !this.publishers.has(member.actorTokenId) &&
      this.selections.some(({ selection }) => selection === member.selection);
    if (!isLikeOthers) return this.arrange();
    this.actors = new Set([...this.actors, member.actorTokenId]);
    for (const lane of this.byName.values()) if (lane.suits(member)) lane.eligible.add(member);
    return [];
  }

  /** As `joined`. */
  left(member: JobMember): readonly Job[] {
    this.members.delete(member);
    return this.arrange();
  }

  /** Which jobs are alike depends on the members. */
  private arrange(): readonly Job[] {
    const members = [...this.members];
    this.selections = [...new Map(members.map((member) => [member.selection, member])).values()];
    this.actors = new Set(members.map(({ actorTokenId }) => actorTokenId));
    this.byName.clear();
    const waiting = [...this.jobs].sort((one, other) => one.seq - other.seq);
    for (const job of waiting) this.place(job);
    if (members.length === 0) return [];
    const unwanted = waiting.filter(({ lane }) => lane?.eligible.size === 0);
    for (const job of unwanted) this.remove(job);
    return unwanted;
  }

  private place(job: Job): Lane {
    const name = this.nameFor(job);
    const known = this.byName.get(name);
    const lane = known ?? new Lane(job, this.members);
    if (known === undefined) this.byName.set(name, lane);
    job.lane = lane;
    job.state = 'ready';
    lane.push(job);
    return lane;
  }

  /** Jobs of one name are alike for all members. */
  private nameFor({ publisher, filters, id }: Job): string {
    const isOfMember = this.actors.has(publisher);
    let name = '';
    if (this.selections.some((member) => member.filters !== undefined)) {
      const values = new Set(filters);
      for (const member of this.selections) name += member.selects(values) ? '1' : '0';
    }
    return isOfMember ? `${name} ${publisher} ${connectionOf(id)}` : name;
  }
}
