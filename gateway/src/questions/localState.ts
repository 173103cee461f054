import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ActorImpact, ActorImpactQuery, Impact, ImpactQuery } from '@roomwire/shared/ports/impact';
import type { LiveState, PresencePage, PresenceQuery, RoomOccupancy } from '@roomwire/shared/ports/liveState';
import type { PresenceBoard } from '../presence/presenceBoard.js';
import type { RoomSubscribers } from '../subscriptions/roomSubscribers.js';

export interface LocalStateDeps {
  readonly board: Pick<PresenceBoard, 'ready' | 'isKnown' | 'page' | 'presentIn'>;
  readonly subscribers: Pick<RoomSubscribers, 'in'>;
  /** Of the sessions of this gateway. */
  readonly impact: (query: ImpactQuery) => Promise<Impact>;
  readonly actorImpact: (query: ActorImpactQuery) => ActorImpact;
}

/** What this gateway knows by itself: all presences, and its own subscribers. */
export class LocalState implements LiveState {
  private readonly deps: LocalStateDeps;

  constructor(deps: LocalStateDeps) {
    this.deps = deps;
  }

  async presencePage(query: PresenceQuery): Promise<PresencePage> {
    await this.known();
    return this.deps.board.page(query);
  }

  async occupancy(rooms: readonly string[]): Promise<readonly RoomOccupancy[]> {
    await this.known();
    return this.counts(rooms);
  }

  impact(query: ImpactQuery): Promise<Impact> {
    return this.deps.impact(query);
  }

  async actorImpact(query: ActorImpactQuery): Promise<ActorImpact> {
    return this.deps.actorImpact(query);
  }

  get knowsPresences(): boolean {
    return this.deps.board.isKnown;
  }

  /** Of internal rooms, in their order, as far as this gateway knows. */
  counts(rooms: readonly string[]): readonly RoomOccupancy[] {
    const { board, subscribers } = this.deps;
    return rooms.map((room) => ({ present: board.presentIn(room), subscribers: subscribers.in(room) }));
  }

  private async known(): Promise<void> {
    await this.deps.board.ready;
    if (!this.knowsPresences) throw new EngineUnavailable('live state');
  }
}
