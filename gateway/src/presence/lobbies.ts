import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { LobbySnapshot } from '@roomwire/shared/wire/protocol/presenceFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { LookupDeps, NamingClient } from '../access/roomAccess.js';
import { Lookups } from '../access/lookups.js';
import { AppFeeds, LobbyFeed, roomSlugOf, TurnSlices } from './lobbyFeeds.js';
import { findLobby } from './lobbySearch.js';
import type { LobbyView } from './lobbyView.js';
import type { Client } from '../access/client.js';
import type { PresenceBoard } from './presenceBoard.js';
import { scopedAppOf, type Transition } from './presenceTable.js';

type Board = Pick<PresenceBoard, 'ready' | 'entries' | 'roomsIn'>;

/** A session that reads lobbies. */
export interface LobbyClient extends Client, NamingClient {
  /** [WS-CONN-10] A request was worth so many more. */
  charge(requests: number): void;
}

export interface LobbyDeps extends LookupDeps {
  readonly limits: Pick<LimitReports, 'reached'>;
}

const maxLobbies = limitTable.lobbies.value;

/** The lobby subscriptions of the sessions of this gateway. */
export class Lobbies {
  private readonly deps: LobbyDeps;
  private readonly board: Board;
  /** By scoped app; none is without a feed. */
  private readonly feeds = new Map<string, AppFeeds>();
  private readonly slices = new TurnSlices();
  private readonly byClient = new Map<LobbyClient, Map<string, LobbyFeed>>();

  constructor(deps: LobbyDeps, board: Board) {
    this.deps = deps;
    this.board = board;
  }

  /** [WS-LOBBY-3] Every change after the snapshot is sent as an event. Rejects when the read models fail. */
  async subscribe(client: LobbyClient, lobbyId: string): Promise<ProtocolErrorName | void> {
    const feeds = this.byClient.get(client);
    if (feeds?.has(lobbyId) !== true && (feeds?.size ?? 0) >= maxLobbies) return 'subscriptionLimit';
    const view = await this.find(client, lobbyId);
    if (view === undefined) return 'notAuthorized';
    if (client.isOver) return;
    // [WS-SCOPE-4] Its actor has been moved meanwhile, here and below: it is a lobby of another scope.
    if (!view.isInScope) return this.subscribe(client, lobbyId);
    const feed = this.open(client, lobbyId, view);
    let snapshot: LobbySnapshot | undefined;
    try {
      snapshot = await this.snapshot(client, view, feed);
    } catch (error) {
      this.unsubscribe(client, lobbyId);
      throw error;
    }
    if (client.isOver) return;
    if (feed.isOver) return this.subscribe(client, lobbyId);
    if (snapshot === undefined) {
      this.unsubscribe(client, lobbyId);
      return 'lobbyTooLarge';
    }
    client.outbox.push(snapshot.frame('lobbySubscribed', lobbyId));
    feed.release();
  }

  /** As `subscribe`, without the events. */
  async list(client: LobbyClient, lobbyId: string): Promise<ProtocolErrorName | void> {
    const view = await this.find(client, lobbyId);
    if (view === undefined) return 'notAuthorized';
    const snapshot = await this.snapshot(client, view);
    if (!view.isInScope) return this.list(client, lobbyId);
    if (snapshot === undefined) return 'lobbyTooLarge';
    client.outbox.push(snapshot.frame('lobbyPresenceList', lobbyId));
  }

  unsubscribe(client: LobbyClient, lobbyId: string): void {
    const feeds = this.byClient.get(client);
    const feed = feeds?.get(lobbyId);
    if (feeds === undefined || feed === undefined) return;
    this.end(feed);
    feeds.delete(lobbyId);
    if (feeds.size === 0) this.byClient.delete(client);
  }

  leave(client: LobbyClient): void {
    for (const feed of this.byClient.get(client)?.values() ?? []) this.end(feed);
    this.byClient.delete(client);
  }

  notify(transition: Transition): void {
    this.feeds.get(scopedAppOf(transition.room))?.notify(transition);
  }

  private async find(client: LobbyClient, lobbyId: string): Promise<LobbyView | undefined> {
    await this.board.ready;
    const lookups = new Lookups(limitTable.lobbySearch.value);
    try {
      return await findLobby(this.deps, client, lobbyId, lookups);
    } finally {
      charge(client, lookups);
      if (lookups.isExhausted) {
        const { projectId, actorTokenId } = client.identity;
        this.deps.limits.reached('lobbySearch', { projectId, actorTokenId });
      }
    }
  }

  private open(client: LobbyClient, lobbyId: string, view: LobbyView): LobbyFeed {
    this.unsubscribe(client, lobbyId);
    const ofApp = this.feeds.get(view.scopedApp) ?? new AppFeeds(this.slices);
    this.feeds.set(view.scopedApp, ofApp);
    const feed = new LobbyFeed(client, lobbyId, view, ofApp);
    ofApp.add(feed);
    const ofClient = this.byClient.get(client);
    if (ofClient) ofClient.set(lobbyId, feed);
    else this.byClient.set(client, new Map([[lobbyId, feed]]));
    return feed;
  }

  private end(feed: LobbyFeed): void {
    feed.end();
    const { scopedApp } = feed.view;
    const ofApp = this.feeds.get(scopedApp);
    ofApp?.delete(feed);
    if (ofApp?.isEmpty === true) this.feeds.delete(scopedApp);
  }

  /** Undefined where the lobby is too large for one answer. */
  private async snapshot(
    client: LobbyClient,
    view: LobbyView,
    feed?: LobbyFeed,
  ): Promise<LobbySnapshot | undefined> {
    const lookups = new Lookups(limitTable.lobbyRooms.value);
    const snapshot = new LobbySnapshot();
    try {
      const rooms = this.board.roomsIn(view.scopedApp);
      for (let from = 0; from < rooms.length && !client.isOver; from += roomsAtOnce) {
        const some = rooms.slice(from, from + roomsAtOnce).filter((room) => view.named(roomSlugOf(room)));
        if (!(await lookups.look(some.length))) return undefined;
        await this.addShown(snapshot, { rooms: some, view, feed, lookups });
        if (snapshot.bytes > limitTable.lobbyBytes.value) return undefined;
      }
      return snapshot;
    } finally {
      charge(client, lookups);
    }
  }

  private async addShown(
    snapshot: LobbySnapshot,
    { rooms, view, feed, lookups }: SnapshotPart,
  ): Promise<void> {
    const contents = rooms.map((room) => [roomSlugOf(room), this.board.entries(room)] as const);
    // What has happened there so far is in the entries.
    for (const [roomSlug] of contents) feed?.forget(roomSlug);
    const shown = await Promise.all(contents.map(([roomSlug]) => view.shows(roomSlug)));
    for (const [roomSlug, entries] of contents.filter((_, n) => shown[n])) {
      if (entries.length === 0) continue;
      snapshot.room(roomSlug, entries.length);
      for (let from = 0; from < entries.length; from += membersAtOnce) {
        snapshot.members(entries.slice(from, from + membersAtOnce));
        await lookups.pause();
      }
    }
  }
}

/** Some of the rooms of a lobby. */
interface SnapshotPart {
  /** Internal. */
  readonly rooms: readonly string[];
  readonly view: LobbyView;
  /** Where events follow. */
  readonly feed: LobbyFeed | undefined;
  readonly lookups: Lookups;
}

const roomsAtOnce = 20;
const membersAtOnce = 50;

/** Rooms that are looked at for the price of a request. */
const roomsPerRequest = 10;

const charge = (client: LobbyClient, { looked }: Lookups): void =>
  client.charge(Math.floor(looked / roomsPerRequest));
