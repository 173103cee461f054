import type { Buffer } from 'node:buffer';
import { lobbyPresenceFrame } from '@roomwire/shared/wire/protocol/presenceFrames';
import type { Transition } from '../presence/presenceTable.js';

/** What lobbies say of a transition: a frame for each name by which clients know a lobby, made once. */
export class LobbyNotice {
  readonly roomSlug: string;
  private readonly transition: Transition;
  private readonly frames = new Map<string, Buffer>();

  constructor(transition: Transition) {
    this.transition = transition;
    this.roomSlug = roomSlugOf(transition.room);
  }

  frame(lobbyId: string): Buffer {
    const known = this.frames.get(lobbyId);
    if (known !== undefined) return known;
    const { event, actorTokenId: actorId, presence } = this.transition;
    const frame = lobbyPresenceFrame({ event, lobbyId, roomId: this.roomSlug, actorId, presence });
    this.frames.set(lobbyId, frame);
    return frame;
  }
}

export const roomSlugOf = (internalRoom: string): string =>
  internalRoom.slice(internalRoom.lastIndexOf('/') + 1);
