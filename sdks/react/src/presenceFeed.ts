import type { Client, PresenceData, PresenceEntry, Room, RoomwireError } from '@roomwire/sdk';
import { Feed } from './feed.js';

export interface PresenceState {
  /** Who is in the room, the own actor included; as it was last while there is no connection. */
  readonly members: readonly PresenceEntry[];
  /** Whether the own actor is there, and the list complete. */
  readonly isEntered: boolean;
  readonly error: RoomwireError | undefined;
}

/** Enters a room, and keeps the list of who is there. */
export class PresenceFeed extends Feed<PresenceState> {
  private readonly client: Client;
  private readonly roomId: string;
  private readonly presence: PresenceData;

  constructor(client: Client, roomId: string, presence: PresenceData) {
    super({ members: [], isEntered: false, error: undefined });
    this.client = client;
    this.roomId = roomId;
    this.presence = presence;
  }

  protected override open(): () => void {
    const room = this.client.room(this.roomId);
    const show = (): void => this.change({ members: room.members });
    const events = (['join', 'update', 'leave'] as const).map((name) => room.on(name, show));
    const waiting = this.enterOnceConnected(room);
    return () => [...events, waiting].forEach((stop) => stop());
  }

  /** From then on the client enters it again by itself. */
  private enterOnceConnected(room: Room): () => void {
    let isTrying = false;
    const enter = (): void => {
      if (isTrying || this.client.state.name !== 'connected') return;
      isTrying = true;
      room.enter(this.presence).then(
        () => {
          stop();
          this.change({ members: room.members, isEntered: true, error: undefined });
        },
        (error: RoomwireError) => {
          isTrying = false;
          if (error.error !== 'not_connected' && error.error !== 'connection_lost') this.change({ error });
          // It may be connected again already.
          else enter();
        },
      );
    };
    const stop = this.client.on('state', enter);
    enter();
    return stop;
  }
}
