import { isLoss, RoomwireError } from '../errors.js';
import type { ClientFrame } from '../protocol/clientFrames.js';
import type {
  Feature,
  PresenceChange,
  PresenceCountFrame,
  PresenceData,
  PresenceEntry,
  PresenceFrame,
  PresenceListFrame,
} from '../protocol/frames.js';
import type { Requests } from '../requests.js';
import { TrackedRoom, type EnterOptions, type Room } from './room.js';
import { Watches, type Watch, type WatchesContext } from './watches.js';

export interface RoomsContext extends WatchesContext {
  now(): number;
  has(feature: Feature): boolean;
}

/** Called with the number of present actors: at once, and then at most once a second when it changes. Must not throw. */
export type CountHandler = (present: number) => void;

/** The rooms that the client is in or counts, and who else is there. */
export class Rooms {
  private readonly requests: Requests;
  private readonly context: RoomsContext;
  private readonly tracked = new Map<string, TrackedRoom>();
  /** Where the client is, with what it has announced; a room that was entered without `keep` comes first. */
  private readonly wishes = new Map<string, PresenceData>();
  private readonly counts: Watches<number>;

  constructor(requests: Requests, context: RoomsContext) {
    this.requests = requests;
    this.context = context;
    this.counts = new Watches(context, (topic) => ({ topic }), {
      persist: (ask) => requests.persist(ask),
      begin: async (roomId) => {
        this.assertKnown(roomId);
        await requests.question(countFrame(roomId), roomId, 'presenceCount');
      },
      end: (roomId) => this.goOut(roomId),
    });
  }

  /** The room's list is kept from now on; it begins at once where the client is there already. */
  room(roomId: string): Room {
    const known = this.tracked.get(roomId);
    if (known !== undefined) return known;
    const room = new TrackedRoom(roomId, this, () => this.context.now());
    this.tracked.set(roomId, room);
    if (this.wishes.has(roomId) && this.context.isOnline()) this.refresh(roomId);
    return room;
  }

  async enter(roomId: string, presence: PresenceData, { keep }: EnterOptions = {}): Promise<void> {
    if (keep) this.assertKnown(roomId);
    const entered = this.confirmed(roomId, [enterFrame(roomId, presence, keep)], () => {
      if (!keep) this.leftAll(roomId);
      this.wishes.set(roomId, presence);
    });
    // Behind the announcement, so that no event comes between the list and those that follow.
    await (this.tracked.has(roomId) ? Promise.all([entered, this.list(roomId)]) : entered);
  }

  /** Not there any more at once, whatever becomes of the connection. */
  async leave(roomId: string): Promise<void> {
    this.assertKnown(roomId);
    this.left(roomId);
    if (!this.context.isOnline()) return;
    await this.goOut(roomId).catch((error: RoomwireError) => {
      // A connection that is lost leaves as well.
      if (!isLoss(error)) throw error;
    });
  }

  count(roomId: string, handler: CountHandler): Promise<Watch> {
    return this.counts.add(roomId, handler);
  }

  async list(roomId: string): Promise<readonly PresenceEntry[]> {
    const reply = await this.requests.question(
      { type: 'getPresence', roomId },
      roomId,
      'presenceList',
      (frame) => this.here(roomId)?.snapshot((frame as PresenceListFrame).data),
    );
    return (reply as PresenceListFrame).data;
  }

  /** The change, with the room that it is about: of one where the client is. */
  changed({ roomId = this.wishes.keys().next().value, change }: PresenceFrame): RoomChange {
    this.here(roomId)?.changed(change);
    return { ...change, roomId };
  }

  counted({ roomId, present }: PresenceCountFrame): void {
    this.counts.hand(roomId, present);
  }

  /** The server has forgotten where the client was. */
  connected(): void {
    for (const [roomId, presence] of this.wishes) {
      const isWished = (): boolean => this.wishes.get(roomId) === presence;
      const again = async (): Promise<void> => {
        // A new connection is nowhere, so that none of several leaves another.
        if (isWished()) await this.enter(roomId, presence, { keep: this.wishes.size > 1 });
      };
      this.requests.persist(again).catch((error: RoomwireError) => {
        if (isLoss(error)) return;
        if (isWished()) this.left(roomId);
        this.context.onError(error);
      });
    }
    this.counts.connected();
  }

  /**
   * The server answers an announcement only when it refuses it; so a question that is always answered follows it, and
   * the announcement is in force when that answer comes.
   */
  private async confirmed(
    roomId: string,
    frames: readonly ClientFrame[],
    onAnswer: () => void,
  ): Promise<void> {
    await this.requests.ask({
      frames: [...frames, { type: 'getPresence' }],
      about: roomId,
      answeredBy: { type: 'presenceList', about: undefined },
      refusalAnswers: false,
      onAnswer,
    });
  }

  /** Leaving ends both being in a room and counting it: what is still wanted begins again. */
  private async goOut(roomId: string): Promise<void> {
    const frames: ClientFrame[] = [{ type: 'presence', roomId, leave: true }];
    const presence = this.wishes.get(roomId);
    if (presence !== undefined) frames.push(enterFrame(roomId, presence, true));
    if (this.counts.has(roomId)) frames.push(countFrame(roomId));
    const gone = this.confirmed(roomId, frames, () => presence ?? this.left(roomId));
    if (this.here(roomId) !== undefined) this.refresh(roomId);
    await gone;
  }

  private leftAll(but: string): void {
    for (const roomId of this.wishes.keys()) if (roomId !== but) this.left(roomId);
  }

  private left(roomId: string): void {
    this.here(roomId)?.forget();
    this.wishes.delete(roomId);
  }

  /** The room, if its list is kept and the client is in it. */
  private here(roomId: string | undefined): TrackedRoom | undefined {
    return roomId !== undefined && this.wishes.has(roomId) ? this.tracked.get(roomId) : undefined;
  }

  private refresh(roomId: string): void {
    this.list(roomId).catch((error: RoomwireError) => {
      if (!isLoss(error)) this.context.onError(error);
    });
  }

  /** An older server would take every announcement for one without these options. */
  private assertKnown(topic: string): void {
    if (this.context.isOnline() && !this.context.has('rooms'))
      throw new RoomwireError('unsupported_feature', { topic });
  }
}

/** What happened in a room that the client is in. */
export type RoomChange = PresenceChange & {
  /** As the client has entered it. */
  readonly roomId: string | undefined;
};

const enterFrame = (roomId: string, data: PresenceData, keep = false): ClientFrame => ({
  ...{ type: 'presence', roomId, data },
  keep: keep || undefined,
});

const countFrame = (roomId: string): ClientFrame => ({ type: 'presence', roomId, mode: 'count' });
