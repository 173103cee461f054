import type { Findings } from './findings.js';
import { type Ledger, type Sent, Topic } from './messages.js';

/** A member of a worker group, for as long as it is one. */
export interface Membership {
  readonly actor: number;
  /** Its subscription or its connection has ended: what it had may be given to others. */
  isOver: boolean;
}

/** Who was given which message of worker groups. */
export class Work {
  private readonly findings: Findings;
  private readonly holders = new Map<number, Membership>();

  constructor(findings: Findings) {
    this.findings = findings;
  }

  given(sent: Sent, member: Membership): void {
    const former = this.holders.get(sent.id);
    if (former?.isOver === false)
      this.violated(sent, 'went to two members of a worker group, or twice to one');
    if (former !== undefined) this.findings.count('work reassigned');
    if (sent.actor === member.actor) this.violated(sent, 'went to a member that has published it');
    this.holders.set(sent.id, member);
  }

  wasGiven({ id }: Sent): boolean {
    return this.holders.has(id);
  }

  /** It is so long ago that somebody must have had it, if it was published at all. */
  forget(sent: Sent): void {
    const wasGiven = this.holders.delete(sent.id);
    if (sent.outcome === 'accepted' && !wasGiven)
      this.violated(sent, 'went to no member of its worker group');
  }

  private violated({ id, topic }: Sent, what: string): void {
    this.findings.violated(`message ${id} of ${topic.address} ${what}`);
  }
}

/** What a soak publishes in each room. */
export interface SoakRoom {
  readonly slug: string;
  /** For all participants, some with filters. */
  readonly chat: Topic;
  /** Retained: only the last value counts for those who come. */
  readonly state: Topic;
  /** For a worker group that always has a member. */
  readonly jobs: Topic;
  /** For a worker group that sleeps when its members are away. */
  readonly tasks: Topic;
}

/** What the soak knows of all rooms. */
export interface Place {
  readonly appSlug: string;
  readonly rooms: readonly SoakRoom[];
  readonly topics: ReadonlyMap<string, Topic>;
  readonly work: Work;
  isRetained(topic: Topic): boolean;
}

export const topicNames = ['chat', 'state', 'jobs', 'tasks'] as const;

export const makePlace = (
  appSlug: string,
  slugs: readonly string[],
  ledger: Ledger,
  findings: Findings,
): Place => {
  const work = new Work(findings);
  const topics = new Map<string, Topic>();
  const forget = (sent: Sent): void => ledger.forget(sent);
  const forgetWork = (sent: Sent): void => {
    work.forget(sent);
    ledger.forget(sent);
  };
  const topic = (room: string, name: string, onForgotten = forget): Topic => {
    const made = new Topic(`${appSlug}/${room}/${name}`, findings, onForgotten);
    topics.set(made.address, made);
    return made;
  };
  const rooms = slugs.map((slug) => ({
    slug,
    chat: topic(slug, 'chat'),
    state: topic(slug, 'state'),
    jobs: topic(slug, 'jobs', forgetWork),
    tasks: topic(slug, 'tasks', forgetWork),
  }));
  const retained = new Set(rooms.map(({ state }) => state));
  return { appSlug, rooms, topics, work, isRetained: (one) => retained.has(one) };
};
