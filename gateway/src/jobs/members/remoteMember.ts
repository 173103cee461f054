import type { JobOptions } from '@roomwire/shared/ports/jobGroups';
import type { JobCommand } from '@roomwire/shared/wire/bus/jobNews';
import type { JobWishes } from '../queue/job.js';
import type { JoinedGroup } from './jobMembership.js';

/** The part of a command that says who sends it to whom is added. */
export type SendToOwner = (command: CommandOf<JobCommand>) => void;
type CommandOf<T> = T extends unknown ? Omit<T, 'from' | 'to' | 'term'> : never;

export interface RemoteMemberDeps {
  readonly number: number;
  readonly groupId: string;
  readonly send: SendToOwner;
  /** Resolves when the owner has answered a change with this number. */
  readonly answered: () => { readonly ref: number; readonly promise: Promise<void> };
  readonly left: () => void;
  /** As that of `JoinedGroup`. */
  readonly storedUntil: () => number;
}

/** A member whose group is owned by another process. */
export class RemoteMember implements JoinedGroup {
  private readonly deps: RemoteMemberDeps;
  private settling: number[] = [];

  constructor(deps: RemoteMemberDeps) {
    this.deps = deps;
  }

  async ask({ filters, own }: JobWishes, options: JobOptions): Promise<void> {
    const { number, send, answered } = this.deps;
    const { ref, promise } = answered();
    send({ kind: 'ask', member: number, ref, filters, own, options });
    await promise;
  }

  ready(): void {
    this.deps.send({ kind: 'ready', member: this.deps.number });
  }

  leave(): void {
    this.sendSettled();
    this.deps.send({ kind: 'leave', member: this.deps.number });
    this.deps.left();
  }

  settle(seq: number): void {
    this.settling.push(seq);
    if (this.settling.length === 1) setImmediate(() => this.sendSettled());
  }

  giveBack(seq: number, delayMs: number): void {
    this.deps.send({ kind: 'giveBack', member: this.deps.number, seq, delayMs });
  }

  progress(seq: number): void {
    this.deps.send({ kind: 'progress', member: this.deps.number, seq });
  }

  abandon(): void {
    this.sendSettled();
    this.deps.left();
  }

  get storedUntil(): number {
    return this.deps.storedUntil();
  }

  private sendSettled(): void {
    const seqs = this.settling;
    if (seqs.length === 0) return;
    this.settling = [];
    this.deps.send({ kind: 'settle', groupId: this.deps.groupId, seqs });
  }
}
