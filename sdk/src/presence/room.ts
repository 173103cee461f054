import { Emitter } from '../primitives.js';
import { isSameValue } from '../protocol/codec.js';
import type { PresenceChange, PresenceData, PresenceEntry } from '../protocol/frames.js';

/** An actor joined, changed its presence, or left; noticed at once, or after a reconnect. */
export interface MemberChange {
  readonly actorTokenId: string;
  /** Undefined for a join. */
  readonly before: PresenceEntry | undefined;
  /** Undefined for a leave. */
  readonly after: PresenceEntry | undefined;
}

export interface RoomEvents {
  join: MemberChange;
  update: MemberChange;
  leave: MemberChange;
}

export interface EnterOptions {
  /**
   * Stay in the other rooms, at most 50 in all. False by default: entering a room leaves the others. Needs `rooms` in
   * `client.features` (`unsupported_feature`).
   */
  readonly keep?: boolean;
}

/** A room, with its members for as long as the client is in it. */
export interface Room {
  readonly roomId: string;
  /**
   * The actors in the room, including the client's own; a new array after every change. Empty before `enter`, and after the client has
   * left or has entered another room without `keep`. Unchanged while there is no connection.
   */
  readonly members: readonly PresenceEntry[];
  /** As `client.enter`; resolves when `members` is complete. */
  enter(presence?: PresenceData, options?: EnterOptions): Promise<void>;
  /** As `client.leave`. */
  leave(): Promise<void>;
  /** Calls `listener` for each event. Returns a function that removes the listener. */
  on<Name extends keyof RoomEvents>(name: Name, listener: (change: RoomEvents[Name]) => void): () => void;
}

/** Enters and leaves the rooms of a client. */
interface Doors {
  enter(roomId: string, presence: PresenceData, options?: EnterOptions): Promise<void>;
  leave(roomId: string): Promise<void>;
}

/** The list of a room, moved on by what the server says. */
export class TrackedRoom implements Room {
  readonly roomId: string;
  private readonly doors: Doors;
  private readonly emitter = new Emitter<RoomEvents>();
  private readonly now: () => number;
  private entries: ReadonlyMap<string, PresenceEntry> = new Map();
  private list: readonly PresenceEntry[] = [];

  constructor(roomId: string, doors: Doors, now: () => number) {
    this.roomId = roomId;
    this.doors = doors;
    this.now = now;
  }

  get members(): readonly PresenceEntry[] {
    return this.list;
  }

  enter(presence: PresenceData = {}, options?: EnterOptions): Promise<void> {
    return this.doors.enter(this.roomId, presence, options);
  }

  leave(): Promise<void> {
    return this.doors.leave(this.roomId);
  }

  on<Name extends keyof RoomEvents>(name: Name, listener: (change: RoomEvents[Name]) => void): () => void {
    return this.emitter.on(name, listener);
  }

  /** Who is there now: the events say what is other than before. */
  snapshot(entries: readonly PresenceEntry[]): void {
    const next = new Map(entries.map((entry) => [entry.actorTokenId, entry]));
    const ids = new Set([...this.entries.keys(), ...next.keys()]);
    const changes = [...ids].map((id) => ({
      actorTokenId: id,
      before: this.entries.get(id),
      after: next.get(id),
    }));
    this.become(next);
    for (const change of changes) this.tell(change);
  }

  changed(change: PresenceChange): void {
    const { actorTokenId } = change;
    const before = this.entries.get(actorTokenId);
    const after = change.event === 'leave' ? undefined : this.entryOf(actorTokenId, change.presence, before);
    const next = new Map(this.entries);
    if (after === undefined) next.delete(actorTokenId);
    else next.set(actorTokenId, after);
    this.become(next);
    this.tell({ actorTokenId, before, after });
  }

  /** The client is not there any more, and gets no events: nobody knows who is. */
  forget(): void {
    this.become(new Map());
  }

  private entryOf(id: string, presence: PresenceData, before: PresenceEntry | undefined): PresenceEntry {
    const joinedAt = before?.joinedAt ?? Math.floor(this.now() / 1_000);
    return { actorTokenId: id, presence, joinedAt };
  }

  private become(entries: ReadonlyMap<string, PresenceEntry>): void {
    this.entries = entries;
    this.list = [...entries.values()];
  }

  private tell(change: MemberChange): void {
    const { before, after } = change;
    if (before === undefined && after === undefined) return;
    if (before === undefined) this.emitter.emit('join', change);
    else if (after === undefined) this.emitter.emit('leave', change);
    else if (!isSameValue(before.presence, after.presence)) this.emitter.emit('update', change);
  }
}
