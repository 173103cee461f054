import type { ActorType } from '../domain/actor.js';
import type { Qos } from '../wire/protocol/messageOptions.js';
import type { LogOrigin, LogPosition } from './eventLog.js';
import type { SettledClaim } from './publishIds.js';

/** A publish that was accepted to be made later, but for its data. */
export interface ScheduledPublish {
  /** A UUID. */
  readonly scheduledId: string;
  /** Of its room in its scope. */
  readonly shard: number;
  /** Unix milliseconds, here and below. */
  readonly deliverAt: number;
  /** Its own among all, in the order of acceptance as text: of those that are due at one time. */
  readonly place: string;
  readonly createdAt: number;
  readonly organizationId: string;
  readonly projectId: string;
  readonly appId: string;
  readonly roomId: string;
  readonly scope: { readonly accessScopeId: string; readonly slug: string; readonly name: string } | null;
  /** Empty for a backend. */
  readonly actorTokenId: string;
  /** Of an actor without a record: its type. */
  readonly externalType?: ActorType;
  /** Of such an actor: the `iat` of its token, Unix seconds; null where that did not say. */
  readonly issuedAt?: number | null;
  /** `app-slug/room-slug/topic`. */
  readonly topic: string;
  /** Of its publisher's making. */
  readonly id?: string;
  /** Of the id, by the name under which the publish was accepted. */
  readonly claim?: SettledClaim;
  readonly filter?: string;
  readonly filters: readonly string[];
  readonly retain: boolean;
  readonly qos: Qos;
  /** Whether the trigger webhook of its topic is not to run. */
  readonly isSilent?: boolean;
  /** Of its data. */
  readonly bytes: number;
}

export interface NewSchedule {
  readonly publish: ScheduledPublish;
  /** MessagePack. */
  readonly data: Uint8Array;
}

/** A publish whose time has come, before it is made. */
export interface DeliveryBegin {
  readonly scheduledId: string;
  /** Of the owner of its shard. */
  readonly term: number;
  /** What its message is called, unless an owner before has named it. */
  readonly messageId: string;
}

export interface BegunDelivery extends NewSchedule {
  readonly messageId: string;
  /** Whether an owner before may have made it. */
  readonly isRepeated: boolean;
}

export interface ScheduleFilter {
  /** The whole address. */
  readonly topic?: string | undefined;
  /** Those behind this one. */
  readonly after?: Pick<ScheduledPublish, 'deliverAt' | 'place'> | undefined;
  readonly limit: number;
}

export interface HeldSchedules {
  readonly messages: number;
  /** Of their data. */
  readonly bytes: number;
}

/**
 * Publishes that wait for their time, in the order of `deliverAt`, and of their places where that is the same. Rejects with `EngineUnavailable` where
 * the engine is out of reach; whether anything was written is then unknown. What has resolved survives the end of every process.
 */
export interface ScheduleStore {
  /**
   * In this order: who sees one sees those before it. One that is there already is replaced by one that was accepted later, by its place, as long as its
   * delivery has not begun; otherwise it stays as it is.
   */
  add(schedules: readonly NewSchedule[]): Promise<void>;

  /** Whether it was there, and its delivery had not begun: then it never will. */
  cancel(projectId: string, scheduledId: string): Promise<boolean>;

  /** Those of a project whose delivery has not begun. */
  list(projectId: string, filter: ScheduleFilter): Promise<readonly ScheduledPublish[]>;

  /** What a project has waiting, about. */
  held(projectId: string): Promise<HeldSchedules>;

  /** Those of these shards that are due until then, the earliest first; also those whose delivery was begun and not ended. */
  due(shards: readonly number[], until: number, limit: number): Promise<readonly ScheduledPublish[]>;

  /**
   * From now on they cannot be cancelled. In the order in which they are given; without those that are gone, and those that an owner of a later
   * term has begun.
   */
  begin(deliveries: readonly DeliveryBegin[]): Promise<readonly BegunDelivery[]>;

  /** They are delivered, or will never be: removes them, but for those that an owner of a later term has begun. */
  end(deliveries: readonly Pick<DeliveryBegin, 'scheduledId' | 'term'>[]): Promise<void>;

  /** Removes those of any of these projects, apps and scopes; resolves with their number. */
  removeOf(owners: readonly string[]): Promise<number>;

  /** Up to where the events that remove them have been followed; undefined for none. */
  checkpoint(): Promise<LogPosition | undefined>;
  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void>;
  origin(): Promise<LogOrigin | undefined>;

  close(): Promise<void>;
}

/** What a scheduled publish is deleted with. */
export const ownersOf = ({ projectId, appId, scope }: ScheduledPublish): readonly string[] => [
  ...[projectId, appId],
  ...(scope === null ? [] : [scope.accessScopeId]),
];
