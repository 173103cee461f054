import type { RoomwireError } from '../errors.js';
import type { PresenceData, PresenceEntry, PresenceListFrame } from '../protocol/frames.js';
import type { Requests } from '../requests.js';

export interface RoomsContext {
  onError(error: RoomwireError): void;
}

/** The one room that the client is in, and who else is there. */
export class Rooms {
  private readonly requests: Requests;
  private readonly context: RoomsContext;
  private wish: { readonly roomId: string; readonly presence: PresenceData } | undefined;

  constructor(requests: Requests, context: RoomsContext) {
    this.requests = requests;
    this.context = context;
  }

  /**
   * The server answers an announcement only when it refuses it; so a question that is always answered follows it, and
   * the announcement is in force when that answer comes.
   */
  async enter(roomId: string, presence: PresenceData): Promise<void> {
    const wish = { roomId, presence };
    await this.requests.ask({
      frames: [{ type: 'presence', roomId, data: presence }, { type: 'getPresence' }],
      about: roomId,
      answeredBy: { type: 'presenceList', about: undefined },
      refusalAnswers: false,
    });
    this.wish = wish;
  }

  async list(roomId: string): Promise<readonly PresenceEntry[]> {
    const reply = await this.requests.ask({
      frames: [{ type: 'getPresence', roomId }],
      about: roomId,
      answeredBy: { type: 'presenceList', about: roomId },
      refusalAnswers: true,
    });
    return (reply as PresenceListFrame).data;
  }

  /** The server has forgotten where the client was. */
  connected(): void {
    const wish = this.wish;
    if (wish === undefined) return;
    this.enter(wish.roomId, wish.presence).catch((error: RoomwireError) => {
      // A connection that is lost again is tried again.
      if (error.error === 'connection_lost' || error.error === 'not_connected') return;
      if (this.wish === wish) this.wish = undefined;
      this.context.onError(error);
    });
  }
}
