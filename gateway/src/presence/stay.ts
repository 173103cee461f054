import type { TopicAccess } from '../access/topicAccess.js';
import type { LobbyClient } from './lobbies.js';

/** A session that announces and reads presence. */
export interface PresenceClient extends LobbyClient {
  /** Has `endExpired` called when these rights have expired. */
  restOn(access: TopicAccess): void;
}

/** What a session has in a room: it is there, or counts who is. */
export interface Stay {
  /** The name by which it asked for the room. */
  readonly roomId: string;
  /** The rights that it rests on. */
  access: TopicAccess;
}

export interface RoomStay extends Stay {
  /** Whether it has entered with `keep`, and may be elsewhere as well. */
  readonly keep: boolean;
}
