import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@roomwire/shared/ports/logger';
import {
  type RollId,
  rollKey,
  type RoomEventStore,
  type StoredRoll,
} from '@roomwire/shared/ports/roomEventStore';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import { isParticipantRoom } from '../groups/participants.js';
import type { Transition } from '../presence/presenceTable.js';
import { type EventPlaces, rollIdOf } from './places.js';
import { type KeeperDeps, RollKeeper } from './rollKeeper.js';

export interface RollsDeps extends Omit<KeeperDeps, 'onOvertaken' | 'onIdle'> {
  readonly store: RoomEventStore;
  readonly places: EventPlaces;
  readonly logger: Logger;
  readonly onClosed: (keeper: RollKeeper) => void;
}

const retryMs = 1_000;
/** A store that is away does not hold up the end of the process. */
const partingMs = 4_000;

/** Rolls that a survey opens at a time, and rooms of other gateways that are remembered. */
const openedTogether = 32;
const mostForeign = 100_000;

/** The rolls of the shards that this gateway owns, as far as somebody is on them or something waits. */
export class Rolls {
  private readonly deps: RollsDeps;
  private readonly keeperDeps: KeeperDeps;
  private readonly terms = new Map<number, number>();
  private readonly byId = new Map<string, RollKeeper>();
  private readonly byRoom = new Map<string, RollKeeper>();
  /** What happens in rooms whose rolls are being opened. */
  private readonly opening = new Map<string, Transition[]>();
  /** The shards of rooms of which other gateways tell, by internal room. */
  private readonly foreign = new Map<string, number>();
  private isSurveying = false;
  private isSurveyDue = false;

  constructor(deps: RollsDeps) {
    this.deps = deps;
    this.keeperDeps = {
      ...deps,
      onOvertaken: (keeper) => this.reopen(keeper),
      onIdle: (keeper) => this.rest(keeper),
    };
  }

  get keepers(): Iterable<RollKeeper> {
    return this.byId.values();
  }

  get(id: RollId): RollKeeper | undefined {
    return this.byId.get(rollKey(id));
  }

  gained(shard: number, term: number): void {
    this.terms.set(shard, term);
    void this.openShard(shard, term);
  }

  /** Resolves when what has happened up to now is stored. */
  async lost(shard: number): Promise<void> {
    this.terms.delete(shard);
    const lost = [...this.byId.values()].filter(({ id }) => id.shard === shard);
    const stored = Promise.all(lost.map((keeper) => keeper.flush()));
    await withTimeout(partingMs, stored, () => [], { unref: true });
    for (const keeper of lost) this.close(keeper);
  }

  happened(transition: Transition): void {
    const { room, event } = transition;
    const keeper = this.byRoom.get(room);
    if (keeper !== undefined) return keeper.happened(transition);
    const opening = this.opening.get(room);
    if (opening !== undefined) return void opening.push(transition);
    // Nobody was on the roll, or it would be open.
    if (event !== 'leave' && this.mayBeOwn(room)) void this.open(room, [transition]);
  }

  /** A name may stand for another room from now on. */
  private namesChanged(): void {
    this.foreign.clear();
  }

  /** Opens rolls for the rooms on the board that have none, and should. */
  survey(): void {
    this.isSurveyDue = true;
    if (!this.isSurveying) void this.surveyAll();
  }

  appChanged(appId: string): void {
    this.namesChanged();
    void this.retrying(async () => {
      const app = await this.deps.places.appOf(appId);
      for (const keeper of this.byId.values()) {
        if (keeper.id.appId !== appId) continue;
        keeper.configure(app && this.deps.places.webhookIn(app));
        if (keeper.isEnding) this.end(keeper);
      }
      this.survey();
    });
  }

  /** Its room is deleted. */
  private end(keeper: RollKeeper): void {
    if (keeper.isTold) keeper.end();
    else this.forget(keeper);
  }

  /** Of a project, an app or a scope: nobody is left to be told. */
  ownerDeleted(id: string): void {
    this.namesChanged();
    for (const keeper of this.byId.values()) {
      const { projectId, appId, accessScopeId } = keeper.id;
      if ([projectId, appId, accessScopeId].includes(id)) this.forget(keeper);
    }
  }

  roomDeleted(roomId: string): void {
    this.namesChanged();
    for (const keeper of this.byId.values()) if (keeper.id.roomId === roomId) this.end(keeper);
  }

  /** With all that is stored of it. */
  private forget(keeper: RollKeeper): void {
    this.close(keeper);
    void this.retrying(() => this.deps.store.remove(keeper.id));
  }

  private async surveyAll(): Promise<void> {
    this.isSurveying = true;
    while (this.isSurveyDue && this.terms.size > 0) {
      this.isSurveyDue = false;
      const rooms = [...this.deps.board.rooms].filter((room) => this.mayBeOwn(room) && !this.isOpen(room));
      for (let from = 0; from < rooms.length; from += openedTogether)
        await Promise.all(rooms.slice(from, from + openedTogether).map((room) => this.openUnlessOpen(room)));
    }
    this.isSurveying = false;
  }

  private async openUnlessOpen(room: string): Promise<void> {
    if (!this.isOpen(room)) await this.open(room, []);
  }

  private isOpen(room: string): boolean {
    return this.byRoom.has(room) || this.opening.has(room);
  }

  private mayBeOwn(room: string): boolean {
    if (isParticipantRoom(room)) return false;
    const shard = this.foreign.get(room);
    return (shard === undefined || this.terms.has(shard)) && !this.deps.places.isUntold(room);
  }

  private async openShard(shard: number, term: number): Promise<void> {
    await this.retrying(async () => {
      if (this.terms.get(shard) !== term) return;
      // One after the other: a roll of an endpoint that is away is large. After a failure those that are open are not read again.
      for (const id of await this.deps.store.openIn(shard)) {
        if (this.terms.get(shard) !== term) return;
        if (this.get(id) === undefined) await this.openFrom(id, term);
      }
    });
    // Of rooms that nobody was in before.
    this.survey();
  }

  private async openFrom(id: RollId, term: number): Promise<void> {
    const stored = await this.deps.store.read(id);
    if (stored !== undefined) await this.openStored(stored, term);
  }

  private async openStored(stored: StoredRoll, term: number): Promise<void> {
    const { roll: id } = stored;
    const { places, store } = this.deps;
    const [app, roomExists] = await Promise.all([places.appOf(id.appId), places.roomExists(id.roomId)]);
    if (app === undefined) return store.remove(id);
    if (this.terms.get(id.shard) !== term || this.byId.has(rollKey(id))) return;
    const keeper = new RollKeeper(this.keeperDeps, { id, term, stored, webhook: places.webhookIn(app) });
    this.add(keeper);
    if (roomExists) keeper.reconcile();
    else this.end(keeper);
  }

  private async open(room: string, happened: Transition[]): Promise<void> {
    this.opening.set(room, happened);
    const keeper = await this.retrying(() => this.find(room));
    this.opening.delete(room);
    if (keeper === undefined || this.byId.get(rollKey(keeper.id)) !== keeper) return;
    this.byRoom.set(room, keeper);
    for (const transition of happened) keeper.happened(transition);
    keeper.reconcile();
  }

  /** Undefined where nobody is to be told, or another gateway tells. */
  private async find(room: string): Promise<RollKeeper | undefined> {
    const { places, store } = this.deps;
    const found = await places.find(room);
    if (found === undefined) return undefined;
    const { place, webhook } = found;
    const id = rollIdOf(place);
    const term = this.terms.get(id.shard);
    if (term === undefined) {
      if (this.foreign.size >= mostForeign) this.foreign.clear();
      this.foreign.set(room, id.shard);
      return undefined;
    }
    const stored = this.get(id) === undefined ? await store.read(id) : undefined;
    if (this.terms.get(id.shard) !== term) return undefined;
    const keeper = this.get(id) ?? new RollKeeper(this.keeperDeps, { id, term, stored, webhook });
    keeper.tellOf(place, webhook);
    this.add(keeper);
    return keeper;
  }

  private add(keeper: RollKeeper): void {
    this.byId.set(rollKey(keeper.id), keeper);
    for (const room of keeper.rooms) this.byRoom.set(room, keeper);
    this.deps.wake(keeper);
  }

  private close(keeper: RollKeeper): void {
    keeper.stop();
    if (this.byId.get(rollKey(keeper.id)) === keeper) this.byId.delete(rollKey(keeper.id));
    for (const room of keeper.rooms) if (this.byRoom.get(room) === keeper) this.byRoom.delete(room);
    this.deps.onClosed(keeper);
  }

  /** Another process has written to it. Where that was in the past, and the shard is this gateway's, it goes on from there. */
  private reopen(keeper: RollKeeper): void {
    this.close(keeper);
    const term = this.terms.get(keeper.id.shard);
    if (term === undefined) return;
    void this.retrying(() => this.openFrom(keeper.id, term));
  }

  private rest(keeper: RollKeeper): void {
    if (keeper.isEnding) this.forget(keeper);
    else this.close(keeper);
  }

  /** Until it succeeds, or no shard is left. */
  private async retrying<T>(action: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      try {
        return await action();
      } catch (error) {
        this.deps.logger.warn('The events of a room wait for an engine', { error });
        if (this.terms.size === 0) return undefined;
        await pause(retryMs, undefined, { ref: false });
      }
    }
  }
}
