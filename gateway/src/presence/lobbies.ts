import { setTimeout as pause } from 'node:timers/promises';
import type { Buffer } from 'node:buffer';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { lobbyPresenceFrame, LobbySnapshot } from '@roomwire/shared/wire/protocol/presenceFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import { closes } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { RoomLocation } from '../access/directory.js';
import type { LookupDeps, NamingClient } from '../access/roomAccess.js';
import { Lookups } from '../access/lookups.js';
import { findLobby } from './lobbySearch.js';
import type { LobbyView } from './lobbyView.js';
import { SetMultimap } from '../setMultimap.js';
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
  private readonly feeds = new SetMultimap<string, LobbyFeed>();
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
    const feed = this.open(client, lobbyId, view);
    try {
      const snapshot = await this.snapshot(client, view, feed);
      if (snapshot === undefined) {
        this.unsubscribe(client, lobbyId);
        return 'lobbyTooLarge';
      }
      client.outbox.push(snapshot.frame('lobbySubscribed', lobbyId));
      feed.release();
    } catch (error) {
      this.unsubscribe(client, lobbyId);
      throw error;
    }
  }

  /** As `subscribe`, without the events. */
  async list(client: LobbyClient, lobbyId: string): Promise<ProtocolErrorName | void> {
    const view = await this.find(client, lobbyId);
    if (view === undefined) return 'notAuthorized';
    const snapshot = await this.snapshot(client, view);
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
    const feeds = this.feeds.get(scopedAppOf(transition.room));
    if (feeds === undefined) return;
    const event = new LobbyEvent(transition);
    for (const feed of feeds) feed.push(event);
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
    const feed = new LobbyFeed(client, lobbyId, view);
    const ofClient = this.byClient.get(client);
    if (ofClient) ofClient.set(lobbyId, feed);
    else this.byClient.set(client, new Map([[lobbyId, feed]]));
    this.feeds.add(view.scopedApp, feed);
    return feed;
  }

  private end(feed: LobbyFeed): void {
    feed.end();
    this.feeds.delete(feed.view.scopedApp, feed);
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

/** Events that may wait until it is known whether the actor may see them. */
const maxWaiting = 1_000;

const retryAfterMs = 500;

/** The events of one lobby for one session, in their order. */
export class LobbyFeed {
  readonly lobbyId: string;
  readonly view: LobbyView;
  private readonly client: LobbyClient;
  private waiting: LobbyEvent[] = [];
  /** Events wait until the snapshot is sent and it is known which rooms the session sees. */
  private isHeld = true;
  private isOver = false;

  constructor(client: LobbyClient, lobbyId: string, view: LobbyView) {
    this.client = client;
    this.lobbyId = lobbyId;
    this.view = view;
  }

  /** The snapshot is sent: events may follow. */
  release(): void {
    void this.drain();
  }

  /** What has happened in a room is known from elsewhere. Before `release` only. */
  forget(roomSlug: string): void {
    if (this.waiting.length > 0) this.waiting = this.waiting.filter((event) => event.roomSlug !== roomSlug);
  }

  end(): void {
    this.isOver = true;
    this.waiting = [];
  }

  push(event: LobbyEvent): void {
    if (this.isHeld) return this.wait(event);
    const location = event.locate(this.view);
    if (location !== undefined) {
      if (this.view.isShown(location)) this.send(event);
    } else {
      this.wait(event);
      void this.drain();
    }
  }

  private wait(event: LobbyEvent): void {
    if (this.waiting.push(event) > maxWaiting) this.client.close(closes.serviceRestart);
  }

  private async drain(): Promise<void> {
    this.isHeld = true;
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      const isShown = await this.isShown(next.roomSlug);
      if (this.isOver) return;
      if (isShown) this.send(next);
      this.waiting.shift();
    }
    this.isHeld = false;
  }

  private async isShown(roomSlug: string): Promise<boolean> {
    while (!this.isOver) {
      try {
        return await this.view.shows(roomSlug);
      } catch {
        // The events stay queued in order until the read models are available.
        await pause(retryAfterMs, undefined, { ref: false });
      }
    }
    return false;
  }

  private send(event: LobbyEvent): void {
    this.client.outbox.push(event.frame(this.lobbyId));
  }
}

/** The frames of a transition, encoded once per name of a lobby. */
export class LobbyEvent {
  readonly roomSlug: string;
  private readonly transition: Transition;
  private location: RoomLocation | undefined;
  private readonly frames = new Map<string, Buffer>();

  constructor(transition: Transition) {
    this.transition = transition;
    this.roomSlug = roomSlugOf(transition.room);
  }

  /** As it is now. Looked up once for all views, which are of one app. */
  locate(view: LobbyView): RoomLocation | undefined {
    return (this.location ??= view.locate(this.roomSlug));
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
