import type { Findings } from './findings.js';
import type { Ledger, Sent } from './ledger.js';
import { Topic } from './topic.js';
import { Work } from './work.js';

/** What a soak publishes in each room. */
export interface SoakRoom {
  readonly slug: string;
  /** For everybody, some with filters. */
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
