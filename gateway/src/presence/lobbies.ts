import { setTimeout as pause } from 'node:timers/promises';
import type { Buffer } from 'node:buffer';
import {
  lobbyPresenceFrame,
  lobbySnapshotFrame,
  type PresenceEntry,
} from '@roomwire/shared/wire/protocol/presenceFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import { closes } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { LookupDeps, NamingClient } from '../access/roomAccess.js';
import { findLobby, type LobbyView } from './lobbyView.js';
import { SetMultimap } from '../setMultimap.js';
import type { Client } from '../access/client.js';
import type { PresenceBoard } from './presenceBoard.js';
import { scopedAppOf, type Transition } from './presenceTable.js';

type Board = Pick<PresenceBoard, 'ready' | 'entries' | 'roomsIn'>;

/** A session that reads lobbies. */
export type LobbyClient = Client & NamingClient;

type Contents = ReadonlyMap<string, readonly PresenceEntry[]>;

/** The lobby subscriptions of the sessions of this gateway. */
export class Lobbies {
  private readonly deps: LookupDeps;
  private readonly board: Board;
  private readonly feeds = new SetMultimap<string, LobbyFeed>();
  private readonly byClient = new Map<LobbyClient, Map<string, LobbyFeed>>();

  constructor(deps: LookupDeps, board: Board) {
    this.deps = deps;
    this.board = board;
  }

  /** [WS-LOBBY-3] Every change after the snapshot is sent as an event. Rejects when the read models fail. */
  async subscribe(client: LobbyClient, lobbyId: string): Promise<ProtocolErrorName | void> {
    const view = await this.find(client, lobbyId);
    if (view === undefined) return 'notAuthorized';
    if (client.isOver) return;
    const feed = this.open(client, lobbyId, view);
    try {
      const contents = await shownTo(view, this.contents(view));
      client.outbox.push(lobbySnapshotFrame('lobbySubscribed', lobbyId, contents));
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
    const contents = await shownTo(view, this.contents(view));
    client.outbox.push(lobbySnapshotFrame('lobbyPresenceList', lobbyId, contents));
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
    return findLobby(this.deps, client, lobbyId);
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

  private contents({ scopedApp }: LobbyView): Contents {
    return new Map(
      this.board.roomsIn(scopedApp).map((room) => [roomSlugOf(room), this.board.entries(room)] as const),
    );
  }
}

const shownTo = async (view: LobbyView, contents: Contents): Promise<Contents> => {
  const shown = new Map<string, readonly PresenceEntry[]>();
  for (const [roomSlug, entries] of contents) if (await view.shows(roomSlug)) shown.set(roomSlug, entries);
  return shown;
};

/** Events that may wait until it is known whether the actor may see them. */
const maxWaiting = 1_000;

const retryAfterMs = 500;

/** The events of one lobby for one session, in their order. */
export class LobbyFeed {
  readonly lobbyId: string;
  readonly view: LobbyView;
  private readonly client: LobbyClient;
  private readonly waiting: LobbyEvent[] = [];
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

  end(): void {
    this.isOver = true;
    this.waiting.length = 0;
  }

  push(event: LobbyEvent): void {
    if (this.isHeld) return this.wait(event);
    const isShown = this.view.showsAsKnown(event.roomSlug);
    if (isShown === true) this.send(event);
    else if (isShown === undefined) {
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
