import type { RoomEventName } from '@roomwire/shared/domain/roomEvents';
import type { RoomPlace } from './places.js';

/** An actor that was reported present, or would have been if somebody had asked for it. */
export interface Standing {
  /** The last one, a MessagePack map. */
  readonly presence: Uint8Array;
  /** Unix seconds. */
  readonly joinedAt: number;
  /** Since when it is gone, Unix milliseconds; undefined while it is present. */
  readonly goneAt: number | undefined;
}

/** An event that has its number. */
export interface WaitingEvent {
  /** `webhook-id`. */
  readonly id: string;
  readonly sequence: number;
  readonly event: RoomEventName;
  /** Null for what is about the room. */
  readonly actorTokenId: string | null;
  readonly presence: Uint8Array | null;
  /** Unix milliseconds. */
  readonly at: number;
}

/** A step of a roll. From all of them in order it is made again. */
export type RollChange =
  | { readonly kind: 'place'; readonly place: RoomPlace }
  | {
      readonly kind: 'on';
      readonly actorTokenId: string;
      readonly presence: Uint8Array;
      readonly joinedAt: number;
    }
  | { readonly kind: 'gone'; readonly actorTokenId: string; readonly at: number }
  | { readonly kind: 'off'; readonly actorTokenId: string }
  | { readonly kind: 'event'; readonly event: WaitingEvent }
  /** On the queue of calls, since a time. */
  | { readonly kind: 'sent'; readonly upTo: number; readonly at: number }
  /** Delivered, or dead letters. `at` is absent in records of earlier versions. */
  | { readonly kind: 'settled'; readonly upTo: number; readonly at?: number }
  /** Became dead letters without a call, because too many wait. */
  | { readonly kind: 'dropped'; readonly upTo: number };

/** What is kept of an event beside its presence, in bytes. */
const eventBytes = 200;

/** Who was reported present in a room and a scope, and the events that its webhook has not had yet. */
export class Roll {
  place: RoomPlace | undefined;
  /** Of the last event. */
  sequence = 0;
  /** Up to this one events are on the queue of calls, or were. */
  sent = 0;
  /** When those were put, or one of them has ended. */
  movedAt = 0;
  /** Up to this one events were delivered, or are dead letters. */
  settled = 0;
  readonly standing = new Map<string, Standing>();
  /** Those of `standing` that are gone; who went first is first. */
  readonly lingering = new Set<string>();
  /** Oldest first; those on the queue of calls too. */
  waiting: WaitingEvent[] = [];
  waitingBytes = 0;

  get isEmpty(): boolean {
    return this.standing.size === 0 && this.waiting.length === 0;
  }

  apply(change: RollChange): void {
    switch (change.kind) {
      case 'place':
        this.place = change.place;
        return;
      case 'on':
        this.lingering.delete(change.actorTokenId);
        this.standing.set(change.actorTokenId, {
          ...{ presence: change.presence, joinedAt: change.joinedAt, goneAt: undefined },
        });
        return;
      case 'gone':
        return this.gone(change.actorTokenId, change.at);
      case 'off':
        this.lingering.delete(change.actorTokenId);
        this.standing.delete(change.actorTokenId);
        return;
      case 'event':
        this.sequence = change.event.sequence;
        this.waiting.push(change.event);
        this.waitingBytes += bytesOf(change.event);
        return;
      case 'sent':
        this.sent = Math.max(this.sent, change.upTo);
        this.movedAt = change.at;
        return;
      case 'settled':
        this.settled = Math.max(this.settled, change.upTo);
        this.movedAt = change.at ?? this.movedAt;
        return this.forget(({ sequence }) => sequence <= change.upTo);
      case 'dropped':
        return this.forget(({ sequence }) => sequence > this.sent && sequence <= change.upTo);
    }
  }

  /** The oldest that are not on the queue of calls. */
  unsent(most: number): readonly WaitingEvent[] {
    const from = this.waiting.findIndex(({ sequence }) => sequence > this.sent);
    return from === -1 ? [] : this.waiting.slice(from, from + most);
  }

  private gone(actorTokenId: string, goneAt: number): void {
    const known = this.standing.get(actorTokenId);
    if (known === undefined) return;
    this.standing.set(actorTokenId, { ...known, goneAt });
    this.lingering.add(actorTokenId);
  }

  private forget(isOver: (event: WaitingEvent) => boolean): void {
    const over = this.waiting.filter(isOver);
    if (over.length === 0) return;
    for (const event of over) this.waitingBytes -= bytesOf(event);
    this.waiting = this.waiting.filter((event) => !isOver(event));
  }
}

export const bytesOf = ({ presence }: WaitingEvent): number => eventBytes + (presence?.length ?? 0);
