import type { EventWebhook } from '@roomwire/shared/domain/roomEvents';
import type { Random } from '@roomwire/shared/ports/random';
import type { Roll as RollIdentity, StoredRoll } from '@roomwire/shared/ports/roomEventStore';
import type { Transition } from '../presence/presenceTable.js';
import { Attendance, type Present, type Terms } from './attendance.js';
import { EventLine, type LineDeps } from './eventLine.js';
import type { RoomPlace } from './places.js';
import type { RecordWriter } from './recordWriter.js';
import type { Roll, RollChange } from './roll.js';
import { RollLog } from './rollLog.js';
import { readRoll } from './rollRecords.js';

/** Who is present. */
export interface EventBoard {
  readonly isWhole: boolean;
  readonly rooms: Iterable<string>;
  entries(room: string): readonly Present[];
  presentSince(room: string, actorTokenId: string): number | undefined;
}

export interface KeeperDeps extends LineDeps {
  readonly board: EventBoard;
  readonly random: Pick<Random, 'uuid'>;
  readonly writer: RecordWriter;
  /** Something is to be done later. */
  readonly wake: (keeper: RollKeeper) => void;
  readonly onOvertaken: (keeper: RollKeeper) => void;
  /** Nobody is present, nothing waits, and all of it is stored. */
  readonly onIdle: (keeper: RollKeeper) => void;
}

export interface KeeperOf {
  readonly id: RollIdentity;
  readonly term: number;
  /** Undefined where nothing was stored yet. */
  readonly stored: StoredRoll | undefined;
  readonly webhook: EventWebhook | undefined;
}

/** What is no event is stored within this time. */
const lazyMs = 1_000;

/** Keeps the roll of one room in one scope, for as long as this gateway owns its shard. */
export class RollKeeper {
  readonly id: RollIdentity;
  /** Internal ones: several where the slug of the app has changed. */
  readonly rooms = new Set<string>();
  /** The room is deleted. */
  isEnding = false;
  private readonly deps: KeeperDeps;
  private readonly roll: Roll;
  private readonly log: RollLog;
  private readonly line: EventLine;
  private readonly attendance: Attendance;
  private webhook: EventWebhook | undefined;
  private unstoredSince: number | undefined;
  private isStopped = false;

  constructor(deps: KeeperDeps, { id, term, stored, webhook }: KeeperOf) {
    this.deps = deps;
    this.id = id;
    this.webhook = webhook;
    const records = stored?.records ?? [];
    this.roll = readRoll(records);
    if (this.roll.place !== undefined) this.rooms.add(this.roll.place.room);
    this.log = new RollLog({
      ...{ id, term, roll: this.roll, writer: deps.writer },
      ...{ revision: records.at(-1)?.revision ?? 0, records: records.length },
      onStored: () => this.stored(),
      onOvertaken: () => deps.onOvertaken(this),
    });
    this.line = new EventLine(deps, {
      ...{ roll: this.roll, log: this.log, webhook: () => this.webhook },
      change: (change) => {
        this.roll.apply(change);
        this.changed(change);
      },
    });
    this.attendance = new Attendance({
      roll: this.roll,
      onChange: (change) => this.changed(change),
      newId: () => deps.random.uuid(),
    });
    this.line.settle(stored?.settled ?? 0);
  }

  get waiting(): number {
    return this.roll.waiting.length;
  }

  /** Of the oldest event that waits; Unix milliseconds. */
  get oldestAt(): number | undefined {
    return this.roll.waiting[0]?.at;
  }

  get isUnderWay(): boolean {
    return this.line.isUnderWay;
  }

  /** Whether there is a webhook, and it is known what the room is called. */
  get isTold(): boolean {
    return this.webhook !== undefined && this.roll.place !== undefined;
  }

  /** Where the events are sent, and how the room is called now. */
  tellOf(place: RoomPlace, webhook: EventWebhook): void {
    this.webhook = webhook;
    this.rooms.add(place.room);
    if (JSON.stringify(place) === JSON.stringify(this.roll.place)) return;
    this.roll.apply({ kind: 'place', place });
    this.changed({ kind: 'place', place });
  }

  /** Undefined stops everything where it is, until there is one again. */
  configure(webhook: EventWebhook | undefined): void {
    const isBack = this.webhook === undefined && webhook !== undefined;
    this.webhook = webhook;
    if (isBack) this.reconcile();
    this.line.advance();
  }

  happened({ event, room, actorTokenId, presence }: Transition): void {
    const terms = this.terms();
    if (terms === undefined || this.isEnding) return;
    if (event === 'leave' || presence === undefined) {
      if (!this.isPresent(actorTokenId)) this.attendance.departed(actorTokenId, terms.now, terms);
    } else {
      const joinedAt = this.deps.board.presentSince(room, actorTokenId) ?? Math.floor(terms.now / 1_000);
      this.attendance.arrived({ actorTokenId, presence, joinedAt }, terms);
    }
    this.deps.wake(this);
  }

  /** [HOOK-EVENT-7] Tells of whoever came, and where the board is whole of whoever went, while this gateway did not own the roll. */
  reconcile(): void {
    const terms = this.terms();
    if (terms === undefined || this.isEnding) return;
    if (this.deps.board.isWhole)
      for (const actorTokenId of [...this.roll.standing.keys()])
        if (!this.isPresent(actorTokenId)) this.attendance.departed(actorTokenId, terms.now, terms);
    for (const room of this.rooms)
      for (const { actorTokenId, presence, joinedAt } of this.deps.board.entries(room))
        this.attendance.arrived({ actorTokenId, presence, joinedAt }, terms);
    this.deps.wake(this);
  }

  /** [HOOK-EVENT-5] */
  end(): void {
    this.isEnding = true;
    const terms = this.terms();
    if (terms !== undefined) this.attendance.end(terms);
    this.deps.wake(this);
  }

  settle(upTo: number): void {
    this.line.settle(upTo);
    this.deps.wake(this);
  }

  /** Whether there is more to do later. */
  tick(): boolean {
    const terms = this.terms();
    if (terms !== undefined && !this.isEnding) this.attendance.expire(terms);
    if (this.unstoredSince !== undefined && this.deps.clock.now() - this.unstoredSince >= lazyMs)
      this.store();
    this.line.advance();
    if (this.roll.isEmpty && !this.log.hasUnstored) return this.rest();
    const hasToTell = this.roll.lingering.size > 0 || this.roll.waiting.length > 0;
    return this.log.hasUnstored || (hasToTell && terms !== undefined);
  }

  /** Resolves when everything up to now is stored. */
  async flush(): Promise<void> {
    this.store();
    await this.log.flush();
  }

  /** This gateway owns the roll no more. */
  stop(): void {
    this.isStopped = true;
    this.log.stop();
    this.line.stop();
  }

  private rest(): boolean {
    if (!this.log.isSettled) {
      this.store();
      return !this.isStopped;
    }
    this.deps.onIdle(this);
    return false;
  }

  private isPresent(actorTokenId: string): boolean {
    return [...this.rooms].some((room) => this.deps.board.presentSince(room, actorTokenId) !== undefined);
  }

  private changed(change: RollChange): void {
    this.log.add(change);
    this.unstoredSince ??= this.deps.clock.now();
    if (change.kind === 'event' || change.kind === 'sent' || change.kind === 'dropped') this.store();
  }

  private store(): void {
    this.unstoredSince = undefined;
    void this.log.flush();
  }

  private stored(): void {
    this.line.advance();
    this.deps.wake(this);
  }

  private terms(): Terms | undefined {
    return this.webhook && { webhook: this.webhook, now: this.deps.clock.now() };
  }
}
