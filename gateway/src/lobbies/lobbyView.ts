import { internalRoom } from '@roomwire/shared/domain/topic';
import { readRoom, type ReadingDeps, type RoomReading } from '../access/roomAccess.js';
import { isCurrent } from '../access/topicAccess.js';
import { roomsOfLobby } from '../policy/lobbyRooms.js';
import { estateOf } from '../presence/presenceTable.js';
import type { Identity } from '../session/identity.js';

export interface LobbyName {
  readonly appSlug: string;
  readonly lobbySlug: string;
}

/** A lobby as one actor sees it: those of its rooms that the actor may read, whatever changes. */
export class LobbyView {
  /** Where its rooms are: project, app and scope. */
  readonly estate: string;
  private readonly deps: ReadingDeps;
  private readonly identity: Identity;
  private readonly name: LobbyName;
  private readonly known = new Map<string, RoomReading>();

  constructor(deps: ReadingDeps, identity: Identity, name: LobbyName) {
    this.deps = deps;
    this.identity = identity;
    this.name = name;
    this.estate = estateOf(internalRoom(identity.projectId, identity.scope, name.appSlug, 'any'));
  }

  /** Undefined where the read models have to be asked. */
  showsAsKnown(roomSlug: string): boolean | undefined {
    const known = this.known.get(roomSlug);
    return known !== undefined && isCurrent(known.access) ? this.isShown(roomSlug, known) : undefined;
  }

  /** Rejects when the read models fail. */
  async shows(roomSlug: string): Promise<boolean> {
    return this.showsAsKnown(roomSlug) ?? this.read(roomSlug);
  }

  private async read(roomSlug: string): Promise<boolean> {
    const reading = await readRoom(this.deps, this.identity, this.name.appSlug, roomSlug);
    if (reading === undefined) this.known.delete(roomSlug);
    else this.known.set(roomSlug, reading);
    return reading !== undefined && this.isShown(roomSlug, reading);
  }

  private isShown(roomSlug: string, { isReadable, access }: RoomReading): boolean {
    if (access.until <= this.deps.clock.now()) return false;
    return isReadable && roomsOfLobby(access.place.app.value, this.name.lobbySlug)?.(roomSlug) === true;
  }
}
