import { lobbySnapshotFrame, type PresenceEntry } from '@roomwire/shared/wire/protocol/presenceFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { LookupDeps } from '../access/roomLookup.js';
import type { PresenceBoard } from '../presence/presenceBoard.js';
import { estateOf, type Transition } from '../presence/presenceTable.js';
import type { Session } from '../session/session.js';
import { LobbyFeed } from './lobbyFeed.js';
import { findLobby } from './lobbyLookup.js';
import { LobbyNotice, roomSlugOf } from './lobbyNotice.js';
import type { LobbyView } from './lobbyView.js';

type Board = Pick<PresenceBoard, 'ready' | 'entries' | 'roomsIn'>;

type Contents = ReadonlyMap<string, readonly PresenceEntry[]>;

/** The lobbies that sessions of this gateway look at. */
export class Lobbies {
  private readonly deps: LookupDeps;
  private readonly board: Board;
  private readonly feeds = new Map<string, Set<LobbyFeed>>();
  private readonly bySession = new Map<Session, Map<string, LobbyFeed>>();

  constructor(deps: LookupDeps, board: Board) {
    this.deps = deps;
    this.board = board;
  }

  /** [WS-LOBBY-3] Everything that happens after the snapshot comes as an event. Rejects when the read models fail. */
  async subscribe(session: Session, lobbyId: string): Promise<ProtocolErrorName | void> {
    const view = await this.find(session, lobbyId);
    if (view === undefined) return 'notAuthorized';
    if (session.isOver) return;
    const feed = this.open(session, lobbyId, view);
    try {
      const contents = await shownTo(view, this.contents(view));
      session.link.outbox.push(lobbySnapshotFrame('lobbySubscribed', lobbyId, contents));
      feed.release();
    } catch (error) {
      this.unsubscribe(session, lobbyId);
      throw error;
    }
  }

  /** As `subscribe`, but for the events. */
  async list(session: Session, lobbyId: string): Promise<ProtocolErrorName | void> {
    const view = await this.find(session, lobbyId);
    if (view === undefined) return 'notAuthorized';
    const contents = await shownTo(view, this.contents(view));
    session.link.outbox.push(lobbySnapshotFrame('lobbyPresenceList', lobbyId, contents));
  }

  unsubscribe(session: Session, lobbyId: string): void {
    const feeds = this.bySession.get(session);
    const feed = feeds?.get(lobbyId);
    if (feeds === undefined || feed === undefined) return;
    this.end(feed);
    feeds.delete(lobbyId);
    if (feeds.size === 0) this.bySession.delete(session);
  }

  leave(session: Session): void {
    for (const feed of this.bySession.get(session)?.values() ?? []) this.end(feed);
    this.bySession.delete(session);
  }

  tell(transition: Transition): void {
    const feeds = this.feeds.get(estateOf(transition.room));
    if (feeds === undefined) return;
    const notice = new LobbyNotice(transition);
    for (const feed of feeds) feed.push(notice);
  }

  private async find(session: Session, lobbyId: string): Promise<LobbyView | undefined> {
    await this.board.ready;
    return findLobby(this.deps, session, lobbyId);
  }

  private open(session: Session, lobbyId: string, view: LobbyView): LobbyFeed {
    this.unsubscribe(session, lobbyId);
    const feed = new LobbyFeed(session, lobbyId, view);
    const ofSession = this.bySession.get(session);
    if (ofSession) ofSession.set(lobbyId, feed);
    else this.bySession.set(session, new Map([[lobbyId, feed]]));
    const inEstate = this.feeds.get(view.estate);
    if (inEstate) inEstate.add(feed);
    else this.feeds.set(view.estate, new Set([feed]));
    return feed;
  }

  private end(feed: LobbyFeed): void {
    feed.end();
    const { estate } = feed.view;
    const feeds = this.feeds.get(estate);
    feeds?.delete(feed);
    if (feeds?.size === 0) this.feeds.delete(estate);
  }

  private contents({ estate }: LobbyView): Contents {
    return new Map(
      this.board.roomsIn(estate).map((room) => [roomSlugOf(room), this.board.entries(room)] as const),
    );
  }
}

const shownTo = async (view: LobbyView, contents: Contents): Promise<Contents> => {
  const shown = new Map<string, readonly PresenceEntry[]>();
  for (const [roomSlug, entries] of contents) if (await view.shows(roomSlug)) shown.set(roomSlug, entries);
  return shown;
};
