import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Random } from '@roomwire/shared/ports/random';
import type { RoomEventStore } from '@roomwire/shared/ports/roomEventStore';
import type { OwnedShards, ShardLeases } from '@roomwire/shared/ports/shardLeases';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { once } from '@roomwire/shared/runtime/service';
import { shardCount } from '@roomwire/shared/domain/shards';
import { eventEnds } from '@roomwire/shared/wire/bus/eventEnds';
import type { GatewayMetrics } from '../metrics.js';
import type { Transition } from '../presence/presenceTable.js';
import { EventPlaces, type PlacesDeps } from './places.js';
import { RecordWriter } from './recordWriter.js';
import type { EventBoard, RollKeeper } from './rollKeeper.js';
import { Rolls } from './rolls.js';

export interface RoomEventsDeps extends PlacesDeps {
  readonly store: RoomEventStore;
  readonly leases: ShardLeases;
  readonly bus: MessageBus;
  readonly board: EventBoard;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly logger: Logger;
  readonly limits: Pick<LimitReports, 'reached'>;
  readonly metrics: GatewayMetrics;
}

const sweepMs = 250;
/** Between two looks for rooms that nobody keeps although their app asks for it, and for ends that were not heard of. */
const surveyMs = 30_000;
const settledMs = 5_000;

/** What is asked of the rolls of this gateway when something is changed. */
export interface RoomEventChanges {
  appChanged(appId: string): void;
  roomDeleted(roomId: string): void;
  ownerDeleted(id: string): void;
}

/**
 * [HOOK-EVENT-2] The events of the rooms of which this gateway owns the shards, for the webhooks of their apps. Each gateway sees the whole
 * board of presences; the owner of a shard alone tells of it.
 */
export class RoomEvents implements RoomEventChanges {
  readonly close = once(() => this.stop());
  private readonly deps: RoomEventsDeps;
  private readonly rolls: Rolls;
  private ends: ChannelReader | undefined;
  /** Those with something to do at a later time. */
  private readonly awake = new Set<RollKeeper>();
  private shards: OwnedShards | undefined;
  private timers: readonly NodeJS.Timeout[] = [];
  private wasWhole = false;

  constructor(deps: RoomEventsDeps) {
    this.deps = deps;
    const { store, logger } = deps;
    this.rolls = new Rolls({
      ...{ ...deps, places: new EventPlaces(deps), writer: new RecordWriter({ store, logger }) },
      wake: (keeper) => this.awake.add(keeper),
      onClosed: (keeper) => this.awake.delete(keeper),
    });
  }

  /** Events that wait, and since when the oldest of them does. */
  get waiting(): { readonly events: number; readonly oldestAt: number | undefined } {
    let [events, oldestAt] = [0, Number.POSITIVE_INFINITY];
    for (const keeper of this.rolls.keepers) {
      events += keeper.waiting;
      oldestAt = Math.min(oldestAt, keeper.oldestAt ?? oldestAt);
    }
    return { events, oldestAt: events > 0 ? oldestAt : undefined };
  }

  /** The board must have been started. */
  async start(): Promise<void> {
    this.ends = await this.deps.bus.read(eventEnds, { interest: 'all' }, (end) =>
      this.rolls.get(end)?.settle(end.sequence),
    );
    this.shards = this.deps.leases.own('room-events', shardCount, {
      gained: (shard, term) => this.rolls.gained(shard, term),
      lost: (shard) => this.rolls.lost(shard),
    });
    this.timers = [
      every(sweepMs, () => this.sweep()),
      every(settledMs, () => void this.readSettled()),
      every(surveyMs, () => this.rolls.survey()),
    ];
  }

  onTransition(transition: Transition): void {
    this.rolls.happened(transition);
  }

  appChanged(appId: string): void {
    this.rolls.appChanged(appId);
  }

  roomDeleted(roomId: string): void {
    this.rolls.roomDeleted(roomId);
  }

  ownerDeleted(id: string): void {
    this.rolls.ownerDeleted(id);
  }

  private sweep(): void {
    const { isWhole } = this.deps.board;
    if (isWhole && !this.wasWhole) for (const keeper of this.rolls.keepers) keeper.reconcile();
    this.wasWhole = isWhole;
    for (const keeper of this.awake) if (!keeper.tick()) this.awake.delete(keeper);
  }

  /** Ends of which the news was lost. */
  private async readSettled(): Promise<void> {
    const underWay = [...this.rolls.keepers].filter(({ isUnderWay }) => isUnderWay).map(({ id }) => id);
    if (underWay.length === 0) return;
    const settled = await this.deps.store.settledOf(underWay).catch(() => []);
    for (const { settled: upTo, ...id } of settled) this.rolls.get(id)?.settle(upTo);
  }

  /** Others take over from here. */
  private async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.shards?.close();
    await this.ends?.close();
  }
}

const every = (ms: number, action: () => void): NodeJS.Timeout => setInterval(action, ms).unref();
