import { setTimeout as pause } from 'node:timers/promises';
import type { Buffer } from 'node:buffer';
import { workSlices, type WorkSlices } from '@roomwire/shared/runtime/workSlices';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { lobbyPresenceFrame } from '@roomwire/shared/wire/protocol/presenceFrames';
import { closes } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { Client } from '../access/client.js';
import type { RoomLocation } from '../access/directory.js';
import { SetMultimap } from '../setMultimap.js';
import type { LobbyView } from './lobbyView.js';
import type { Transition } from './presenceTable.js';

/** Events that may wait: of an app, for their turn; of a lobby of a connection, until its snapshot is sent. */
const maxWaiting = limitTable.lobbyEvents.value;

const retryAfterMs = 500;

/** A slice of work for each turn of the event loop, whatever is begun in it. */
export class TurnSlices {
  private ofThisTurn: WorkSlices | undefined;

  get current(): WorkSlices {
    if (this.ofThisTurn === undefined) setImmediate(() => (this.ofThisTurn = undefined));
    return (this.ofThisTurn ??= workSlices());
  }
}

/**
 * The lobby subscriptions in one app. Each event goes to them in slices, one after the other: an app with very many holds up its own
 * events, not the gateway.
 */
export class AppFeeds {
  private readonly slices: TurnSlices;
  /** By the slug of the lobby. */
  private readonly feeds = new SetMultimap<string, LobbyFeed>();
  private queue: LobbyEvent[] = [];
  private lastNumber = 0;
  private isBusy = false;

  constructor(slices: TurnSlices) {
    this.slices = slices;
  }

  get isEmpty(): boolean {
    return this.feeds.size === 0;
  }

  /** Number of the last event. */
  get last(): number {
    return this.lastNumber;
  }

  /** Whether there are events that some feeds have not been given yet. */
  get isBehind(): boolean {
    return this.isBusy;
  }

  add(feed: LobbyFeed): void {
    this.feeds.add(feed.view.lobbySlug, feed);
  }

  delete(feed: LobbyFeed): void {
    this.feeds.delete(feed.view.lobbySlug, feed);
  }

  notify(transition: Transition): void {
    this.queue.push(new LobbyEvent(transition, ++this.lastNumber));
    if (this.queue.length > maxWaiting) this.giveUp();
    if (!this.isBusy) void this.run();
  }

  /** Whoever misses events connects anew, and gets a snapshot. */
  private giveUp(): void {
    this.queue = [];
    for (const [, feeds] of this.feeds) for (const feed of feeds) feed.giveUp();
  }

  /** Until it is over its slice it runs within the call. */
  private async run(): Promise<void> {
    this.isBusy = true;
    const slices = this.slices.current;
    for (let event = this.queue.shift(); event !== undefined; event = this.queue.shift())
      await this.deliver(event, slices);
    this.isBusy = false;
  }

  private async deliver(event: LobbyEvent, slices: WorkSlices): Promise<void> {
    for (const [, feeds] of this.feeds)
      for (const feed of feeds) {
        if (slices.isOver()) await slices.next();
        if (!event.isLocated(feed.view) && !(await this.locate(event, feed.view))) return;
        if (!event.isOf(feed.view)) break;
        feed.push(event);
      }
  }

  /** Resolves with false where there is no such room any more. Events wait, in order, until the read models are available. */
  private async locate(event: LobbyEvent, view: LobbyView): Promise<boolean> {
    while (!this.isEmpty) {
      try {
        return await event.locate(view);
      } catch {
        await pause(retryAfterMs, undefined, { ref: false });
      }
    }
    return false;
  }
}

/** The events of one lobby for one session, in their order. */
export class LobbyFeed {
  readonly view: LobbyView;
  private readonly client: Pick<Client, 'outbox' | 'close'>;
  private readonly lobbyId: string;
  private readonly app: Pick<AppFeeds, 'last' | 'isBehind'>;
  private waiting: LobbyEvent[] = [];
  /** Events up to this number are older than the feed. */
  private readonly since: number;
  /** Rooms in the snapshot with the number of the last event that is in it, where that may still come. */
  private readonly known = new Map<string, number>();
  /** Events wait until the snapshot is sent and it is known which rooms the session sees. */
  private isHeld = true;
  private hasEnded = false;

  constructor(
    client: Pick<Client, 'outbox' | 'close'>,
    lobbyId: string,
    view: LobbyView,
    app: Pick<AppFeeds, 'last' | 'isBehind'>,
  ) {
    this.client = client;
    this.lobbyId = lobbyId;
    this.view = view;
    this.app = app;
    this.since = app.last;
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  /** The snapshot is sent: events may follow. */
  release(): void {
    void this.drain();
  }

  /** What has happened in a room so far is known from elsewhere. Before `release` only. */
  forget(roomSlug: string): void {
    if (this.waiting.length > 0) this.waiting = this.waiting.filter((event) => event.roomSlug !== roomSlug);
    if (this.app.isBehind) this.known.set(roomSlug, this.app.last);
  }

  end(): void {
    this.hasEnded = true;
    this.waiting = [];
  }

  giveUp(): void {
    this.client.close(closes.serviceRestart);
  }

  /** The event has been located. */
  push(event: LobbyEvent): void {
    if (this.hasEnded || this.isKnown(event)) return;
    if (this.isHeld) this.wait(event);
    else if (event.isShownTo(this.view)) this.send(event);
  }

  private isKnown({ number, roomSlug }: LobbyEvent): boolean {
    if (number <= this.since) return true;
    const upTo = this.known.get(roomSlug);
    if (upTo === undefined) return false;
    if (number <= upTo) return true;
    this.known.delete(roomSlug);
    return false;
  }

  private wait(event: LobbyEvent): void {
    if (this.waiting.push(event) > maxWaiting) this.giveUp();
  }

  private async drain(): Promise<void> {
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      const isShown = await this.isShown(next.roomSlug);
      if (this.hasEnded) return;
      if (isShown) this.send(next);
      this.waiting.shift();
    }
    this.isHeld = false;
  }

  private async isShown(roomSlug: string): Promise<boolean> {
    while (!this.hasEnded) {
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

/** A transition: who sees it is decided once per lobby and reader, and its frame encoded once per name of a lobby. */
class LobbyEvent {
  readonly roomSlug: string;
  /** Of the events in the app. */
  readonly number: number;
  private readonly transition: Transition;
  private location: RoomLocation | undefined;
  /** By the slug of the lobby, as long as the location is current. */
  private readonly lobbies = new Map<string, boolean>();
  /** By reader, as long as the location is current. */
  private readonly readers = new Map<unknown, boolean>();
  private readonly frames = new Map<string, Buffer>();

  constructor(transition: Transition, number: number) {
    this.transition = transition;
    this.number = number;
    this.roomSlug = roomSlugOf(transition.room);
  }

  /** Whether its room is known as it is now. The views are of one app. */
  isLocated(view: LobbyView): boolean {
    const { location } = this;
    if (location?.app.isCurrent === true && location.room.isCurrent) return true;
    return this.take(view.locate(this.roomSlug));
  }

  /** Reads what `isLocated` does not find. Rejects when the read models fail. */
  async locate(view: LobbyView): Promise<boolean> {
    return this.take(await view.find(this.roomSlug));
  }

  isOf(view: LobbyView): boolean {
    return this.decide(this.lobbies, view.lobbySlug, (location) => view.has(location));
  }

  /** In a lobby that its room is of. */
  isShownTo(view: LobbyView): boolean {
    return this.decide(this.readers, view.reader, (location) => view.mayRead(location));
  }

  frame(lobbyId: string): Buffer {
    const known = this.frames.get(lobbyId);
    if (known !== undefined) return known;
    const { event, actorTokenId: actorId, presence } = this.transition;
    const frame = lobbyPresenceFrame({ event, lobbyId, roomId: this.roomSlug, actorId, presence });
    this.frames.set(lobbyId, frame);
    return frame;
  }

  private take(location: RoomLocation | undefined): boolean {
    this.location = location;
    this.lobbies.clear();
    this.readers.clear();
    return location !== undefined;
  }

  private decide<K>(known: Map<K, boolean>, key: K, rule: (location: RoomLocation) => boolean): boolean {
    const decided = known.get(key) ?? (this.location !== undefined && rule(this.location));
    known.set(key, decided);
    return decided;
  }
}

export const roomSlugOf = (internalRoom: string): string =>
  internalRoom.slice(internalRoom.lastIndexOf('/') + 1);
