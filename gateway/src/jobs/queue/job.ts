import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';
import { matchesFilters } from '@roomwire/shared/wire/protocol/matchesFilters';

/** What a member asks for. */
export interface JobWishes {
  /** Undefined for every job. */
  readonly filters: readonly FilterEntry[] | undefined;
  /** Its connection, where it gets what its actor publishes by others. */
  readonly own: string | undefined;
}

/** Where the jobs of a member go. Must not call the queue back at once. */
export interface JobRecipient {
  /** The `delivery` counts from 1. */
  take(seq: number, message: LiveMessage, delivery: number): void;
  /** The group has been deleted. */
  ended(): void;
}

/** A member of a group with jobs, on any gateway. */
export class JobMember {
  readonly recipient: JobRecipient;
  readonly actorTokenId: string;
  /** Its client has the answer to its subscribe. */
  isReady = false;
  /** What it has not acknowledged. */
  readonly jobs = new Set<Job>();
  /** Numbers of jobs that it has from an earlier owner of the group, and that are not in memory yet. */
  readonly reserved = new Set<number>();
  /** The number of the last hand-out to it: among members with as many jobs, the one that has waited longest is next. */
  turn = 0;
  /** Names what it filters by. */
  selection = '';
  private asked: JobWishes;

  constructor(actorTokenId: string, wishes: JobWishes, recipient: JobRecipient) {
    this.recipient = recipient;
    this.actorTokenId = actorTokenId;
    this.asked = wishes;
    this.ask(wishes);
  }

  get filters(): JobWishes['filters'] {
    return this.asked.filters;
  }

  get own(): string | undefined {
    return this.asked.own;
  }

  ask(wishes: JobWishes): void {
    this.asked = wishes;
    this.selection = wishes.filters === undefined ? '' : JSON.stringify(wishes.filters);
  }

  /** Jobs that it has, in memory or not. */
  get load(): number {
    return this.jobs.size + this.reserved.size;
  }

  selects(values: ReadonlySet<string>): boolean {
    return this.filters === undefined || matchesFilters(this.filters, values);
  }

  /** [WS-GROUP-3] Not what its own actor has published, unless it has asked for that and another connection did. */
  mayHaveOf(publisher: string, connection: string): boolean {
    return this.actorTokenId !== publisher || (this.own !== undefined && this.own !== connection);
  }
}

/**
 * Where a job is. `fetching`: it could be handed out, and its message is being read. `dying`: it is to become a dead letter. `over`: it is
 * settled, or forgotten here because nobody can have it.
 */
export type JobState = 'ready' | 'inFlight' | 'delayed' | 'fetching' | 'dying' | 'over';

/** A job in memory. */
export interface Job {
  /** Its number in the group: the order in which jobs are handed out. */
  readonly seq: number;
  readonly id: string;
  readonly publisher: string;
  readonly filters: readonly string[];
  /** In the store. */
  readonly bytes: number;
  /** Unix milliseconds. */
  readonly addedAt: number;
  /** Undefined while it need not be in memory. */
  message: LiveMessage | undefined;
  state: JobState;
  /** How often it was handed out. */
  deliveries: number;
  /** How often of that counts towards `maxDeliveries`. */
  counted: number;
  /** Of the hand-outs those that the store is to know of. */
  notedDeliveries: number;
  /** Where it waits to be handed out. */
  lane: { readonly eligible: ReadonlySet<JobMember> } | undefined;
  /** Who has it. */
  member: JobMember | undefined;
  /** When it comes back from its member, or may be handed out; monotonic milliseconds. */
  dueAt: number;
  /** Its neighbours in `Deadlines`. */
  earlier: Job | undefined;
  later: Job | undefined;
  timeoutMs: number;
}

/** What a job is made of. */
export interface JobFields extends Pick<Job, 'seq' | 'bytes' | 'addedAt'> {
  readonly message: LiveMessage;
  readonly deliveries?: number;
  readonly counted?: number;
}

/** Field by field, because a spread costs more than all the rest. */
export const newJob = ({ seq, bytes, addedAt, message, deliveries = 0, counted = 0 }: JobFields): Job => ({
  seq,
  id: message.id,
  publisher: message.publisher,
  filters: message.filters,
  bytes,
  addedAt,
  message,
  state: 'over',
  deliveries,
  counted,
  notedDeliveries: deliveries,
  lane: undefined,
  member: undefined,
  dueAt: 0,
  earlier: undefined,
  later: undefined,
  timeoutMs: 0,
});
