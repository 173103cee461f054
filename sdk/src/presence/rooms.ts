import { isLoss, type RoomwireError } from '../errors.js';
import type { PresenceChange, PresenceData, PresenceEntry, PresenceListFrame } from '../protocol/frames.js';
import type { Requests } from '../requests.js';
import { TrackedRoom, type Room } from './room.js';

export interface RoomsContext {
  now(): number;
  isOnline(): boolean;
  onError(error: RoomwireError): void;
}

/** The one room that the client is in, and who else is there. */
export class Rooms {
  private readonly requests: Requests;
  private readonly context: RoomsContext;
  private readonly tracked = new Map<string, TrackedRoom>();
  private wish: { readonly roomId: string; readonly presence: PresenceData } | undefined;

  constructor(requests: Requests, context: RoomsContext) {
    this.requests = requests;
    this.context = context;
  }

  /** The room's list is kept from now on; it begins at once where the client is there already. */
  room(roomId: string): Room {
    const known = this.tracked.get(roomId);
    if (known !== undefined) return known;
    const room = new TrackedRoom(
      roomId,
      (presence = {}) => this.enter(roomId, presence),
      () => this.context.now(),
    );
    this.tracked.set(roomId, room);
    if (this.wish?.roomId === roomId && this.context.isOnline())
      this.list(roomId).catch((error: RoomwireError) => this.failed(error));
    return room;
  }

  async enter(roomId: string, presence: PresenceData): Promise<void> {
    const entered = this.announce(roomId, presence);
    // Behind the announcement, so that no event comes between the list and those that follow.
    await (this.tracked.has(roomId) ? Promise.all([entered, this.list(roomId)]) : entered);
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

  /** An event is about the room that the client is in. */
  changed(change: PresenceChange): void {
    this.here(this.wish?.roomId)?.changed(change);
  }

  /** The server has forgotten where the client was. */
  connected(): void {
    const wish = this.wish;
    if (wish === undefined) return;
    this.enter(wish.roomId, wish.presence).catch((error: RoomwireError) => {
      if (isLoss(error)) return;
      if (this.wish === wish) this.moveTo(undefined);
      this.context.onError(error);
    });
  }

  /**
   * The server answers an announcement only when it refuses it; so a question that is always answered follows it, and
   * the announcement is in force when that answer comes.
   */
  private async announce(roomId: string, presence: PresenceData): Promise<void> {
    await this.requests.ask({
      frames: [{ type: 'presence', roomId, data: presence }, { type: 'getPresence' }],
      about: roomId,
      answeredBy: { type: 'presenceList', about: undefined },
      refusalAnswers: false,
      onAnswer: () => this.moveTo({ roomId, presence }),
    });
  }

  private moveTo(wish: typeof this.wish): void {
    if (wish?.roomId !== this.wish?.roomId) this.here(this.wish?.roomId)?.forget();
    this.wish = wish;
  }

  /** The room, if its list is kept and the client is in it. */
  private here(roomId: string | undefined): TrackedRoom | undefined {
    return roomId !== undefined && this.wish?.roomId === roomId ? this.tracked.get(roomId) : undefined;
  }

  private failed(error: RoomwireError): void {
    if (!isLoss(error)) this.context.onError(error);
  }
}
