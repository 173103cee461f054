import type { Client, EnterOptions, PresenceData, PresenceEntry, RoomwireError } from '@roomwire/sdk';
import { Feed } from './feed.js';
import { onceConnected } from './onceConnected.js';

export interface PresenceState {
  /** Who is in the room, the own actor included; as it was last while there is no connection. */
  readonly members: readonly PresenceEntry[];
  /** Whether the own actor is there, and the list complete. */
  readonly isEntered: boolean;
  readonly error: RoomwireError | undefined;
}

/** Enters a room, and keeps the list of who is there. With `keep` it leaves the room at the end. */
export class PresenceFeed extends Feed<PresenceState> {
  private readonly client: Client;
  private readonly roomId: string;
  private readonly presence: PresenceData;
  private readonly options: EnterOptions;

  constructor(client: Client, roomId: string, presence: PresenceData, options: EnterOptions = {}) {
    super({ members: [], isEntered: false, error: undefined });
    this.client = client;
    this.roomId = roomId;
    this.presence = presence;
    this.options = options;
  }

  protected override open(): () => void {
    const room = this.client.room(this.roomId);
    const show = (): void => this.change({ members: room.members });
    const events = (['join', 'update', 'leave'] as const).map((name) => room.on(name, show));
    const waiting = onceConnected(
      this.client,
      async () => {
        await room.enter(this.presence, this.options);
        this.change({ members: room.members, isEntered: true, error: undefined });
      },
      (error) => this.change({ error }),
    );
    return () => {
      for (const stop of [...events, waiting]) stop();
      // A server that cannot let the client stay elsewhere has said so by `error`.
      if (this.options.keep === true) room.leave().catch(() => undefined);
    };
  }
}
