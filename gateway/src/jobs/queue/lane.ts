import { connectionOf } from '@roomwire/shared/wire/bus/messageId';
import type { Job, JobMember } from './job.js';
import { JobHeap } from './jobHeap.js';

/** Passed entries at the beginning of a lane are cut off when there are so many. */
const cutAfter = 1_000;

/** Jobs that wait for the same members, the oldest first. What has left it meanwhile is passed over. */
export class Lane {
  readonly eligible: Set<JobMember>;
  private readonly publisher: string;
  private readonly connection: string;
  private readonly values: ReadonlySet<string>;
  /** New jobs come in their order; those that come back may be older. */
  private fresh: Job[] = [];
  private begin = 0;
  private readonly returned = new JobHeap(({ seq }) => seq);

  /** Of jobs that are, for all members, like this one. */
  constructor({ id, publisher, filters }: Job, members: Iterable<JobMember>) {
    this.publisher = publisher;
    this.connection = connectionOf(id);
    this.values = new Set(filters);
    this.eligible = new Set([...members].filter((member) => this.suits(member)));
  }

  get first(): Job | undefined {
    this.passOver();
    const [next, back] = [this.fresh[this.begin], this.returned.first];
    return next && back ? (next.seq < back.seq ? next : back) : (next ?? back);
  }

  suits(member: JobMember): boolean {
    return member.mayHaveOf(this.publisher, this.connection) && member.selects(this.values);
  }

  push(job: Job): void {
    const last = this.fresh.at(-1);
    if (last === undefined || last.seq < job.seq) this.fresh.push(job);
    else this.returned.push(job);
  }

  private passOver(): void {
    const { fresh, returned } = this;
    while (this.begin < fresh.length && !this.isHere(fresh[this.begin] as Job)) this.begin++;
    if (this.begin >= cutAfter || (this.begin > 0 && this.begin === fresh.length)) {
      this.fresh = fresh.slice(this.begin);
      this.begin = 0;
    }
    while (returned.first && !this.isHere(returned.first)) returned.shift();
  }

  private isHere(job: Job): boolean {
    return job.lane === this && job.state === 'ready';
  }
}
