import type { SeededChance } from '@roomwire/testing/run/seededChance';
import type { Cluster } from '../cluster/cluster.js';
import type { History } from '../run/history.js';
import type { VirtualTime } from '../time/virtualTime.js';
import type { Outboxes } from './outbox.js';
import type { Rights } from './rights.js';

export interface Actor {
  readonly actorTokenId: string;
  readonly token: string;
  /** From the moment its removal is asked for. */
  isLeaving: boolean;
}

/** One room of the project, in which clients meet. */
export interface Room {
  readonly roomId: string;
  readonly slug: string;
}

export interface Estate {
  readonly appId: string;
  readonly appSlug: string;
  readonly rooms: readonly Room[];
}

/** What clients and administrators share. */
export interface World {
  readonly time: VirtualTime;
  readonly chance: SeededChance;
  readonly cluster: Cluster;
  readonly history: History;
  readonly rights: Rights;
  readonly outboxes: Outboxes;
  /** Undefined until it has been made. */
  estate: Estate | undefined;
  readonly actors: Actor[];
  /** Makes the clients of an actor connect anew. */
  readonly rush: (actor: Actor) => void;
  /** Whether clients still begin anything. */
  isBusy: boolean;
  /** Whether they publish and change nothing else. */
  isSteady: boolean;
}

/** The history of `news` stays as it is; that of `board` is deleted, switched off and lowered. `tasks` has worker groups with jobs. */
export const topicNames = ['news', 'jobs', 'board', 'tasks'] as const;

/** The worker group of a topic. */
export const groupNames: ReadonlyMap<string, string> = new Map([
  ['jobs', 'workers'],
  ['tasks', 'crew'],
]);

/** Whether a topic has history, at times. */
export const isKept = (name: string): boolean => name === 'news' || name === 'board';

export const topicsOf = ({
  appSlug,
  rooms,
}: Estate): readonly { room: string; topic: string; name: string }[] =>
  rooms.flatMap(({ slug }) =>
    topicNames.map((name) => ({ room: slug, topic: `${appSlug}/${slug}/${name}`, name })),
  );
