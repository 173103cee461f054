import type { Client, EnterOptions, PresenceData, PresenceEntry, RoomwireError } from '@roomwire/sdk';
import { afterFormer } from './afterFormer.js';
import { Feed } from './feed.js';
import { onceConnected } from './onceConnected.js';

export interface PresenceState {
  /** Who is in the room, the own actor included; as it was last while there is no connection. */
  readonly members: readonly PresenceEntry[];
  /** Whether the own actor is there, and the list complete. */
  readonly isEntered: boolean;
  readonly error: RoomwireError | undefined;
}

interface Announcement {
  readonly presence: PresenceData;
  readonly keep: boolean;
}

/** Enters a room, and keeps the list of who is there. It leaves the room at the end if the last who watches has `keep`. */
export class PresenceFeed extends Feed<PresenceState> {
  private readonly client: Client;
  private readonly roomId: string;
  /** Of those who watch, the newest last: that one applies. */
  private readonly announcements = new Set<Announcement>();
  private announced: string | undefined;
  private keeps = false;
  private stopAnnouncing = (): void => undefined;

  constructor(client: Client, roomId: string) {
    super({ members: [], isEntered: false, error: undefined });
    this.client = client;
    this.roomId = roomId;
  }

  /** As `watch`, for a component that says this of the actor. */
  watchAs(presence: PresenceData, { keep = false }: EnterOptions, listener: () => void): () => void {
    const announcement = { presence, keep };
    this.announcements.add(announcement);
    this.renew();
    const stop = this.watch(listener);
    return () => {
      this.announcements.delete(announcement);
      stop();
      this.renew();
    };
  }

  protected override open(): () => void {
    return afterFormer(this.client, `presence ${this.roomId}`, () => {
      const room = this.client.room(this.roomId);
      const show = (): void => this.change({ members: room.members });
      const events = (['join', 'update', 'leave'] as const).map((name) => room.on(name, show));
      this.announce();
      return async () => {
        for (const stop of events) stop();
        this.stopAnnouncing();
        this.announced = undefined;
        // A server that cannot let the client stay elsewhere has said so by `error`.
        if (this.keeps) await room.leave().catch(() => undefined);
      };
    });
  }

  /** Later, so that nobody sees what is replaced at once. */
  private renew(): void {
    queueMicrotask(() => {
      if (this.announced !== undefined) this.announce();
    });
  }

  private announce(): void {
    const newest = [...this.announcements].at(-1);
    const text = JSON.stringify(newest);
    if (newest === undefined || text === this.announced) return;
    this.announced = text;
    this.keeps = newest.keep;
    this.stopAnnouncing();
    const room = this.client.room(this.roomId);
    const { presence, keep } = newest;
    const isThere = (): boolean => room.members.length > 0;
    let isAnnounced = false;
    const enter = async (): Promise<void> => {
      if (!isAnnounced || !isThere()) await room.enter(presence, { keep });
      isAnnounced = true;
    };
    this.stopAnnouncing = onceConnected(this.client, this.roomId, enter, {
      onDone: () => this.change({ members: room.members, isEntered: true, error: undefined }),
      // Of an announcement that was refused the former one stays.
      onError: (error) =>
        this.change({ members: room.members, isEntered: this.snapshot().isEntered && isThere(), error }),
    });
  }
}
