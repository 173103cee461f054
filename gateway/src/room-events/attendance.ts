import { Buffer } from 'node:buffer';
import type { EventWebhook, RoomEventName } from '@roomwire/shared/domain/roomEvents';
import type { Roll, RollChange } from './roll.js';

/** An actor as the board has it. */
export interface Present {
  readonly actorTokenId: string;
  readonly presence: Uint8Array;
  /** Unix seconds. */
  readonly joinedAt: number;
}

export interface AttendanceDeps {
  readonly roll: Roll;
  /** Gets each change after the roll has it. */
  readonly onChange: (change: RollChange) => void;
  readonly newId: () => string;
}

/** What counts at a time. */
export interface Terms {
  readonly webhook: Pick<EventWebhook, 'events' | 'lingerSeconds'>;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Decides what the comings and goings in a room, in a scope, are worth telling. Pure but for the roll that it changes. */
export class Attendance {
  private readonly roll: Roll;
  private readonly onChange: (change: RollChange) => void;
  private readonly newId: () => string;

  constructor({ roll, onChange, newId }: AttendanceDeps) {
    this.roll = roll;
    this.onChange = onChange;
    this.newId = newId;
  }

  /** It is present: new, again, or with another presence. */
  arrived(present: Present, terms: Terms): void {
    this.expire(terms, present);
    const known = this.roll.standing.get(present.actorTokenId);
    if (known !== undefined && wasAway(known.joinedAt, present, terms))
      this.leave(present.actorTokenId, terms);
    const isNew = !this.roll.standing.has(present.actorTokenId);
    if (!isNew && known?.goneAt === undefined && isSame(known?.presence, present.presence)) return;
    if (this.roll.standing.size === 0) this.tell('occupied', null, terms);
    this.change({ kind: 'on', ...present });
    if (isNew) this.tell('joined', present, terms);
  }

  /** It is not present, since a time. */
  departed(actorTokenId: string, at: number, terms: Terms): void {
    const known = this.roll.standing.get(actorTokenId);
    if (known === undefined || known.goneAt !== undefined) return;
    if (terms.webhook.lingerSeconds === 0) return this.leave(actorTokenId, terms);
    this.change({ kind: 'gone', actorTokenId, at });
  }

  /** Those who are gone for long enough have left. */
  expire(terms: Terms, returning?: Present): void {
    const lingerMs = terms.webhook.lingerSeconds * 1_000;
    for (const actorTokenId of this.roll.lingering) {
      const goneAt = this.roll.standing.get(actorTokenId)?.goneAt ?? 0;
      if (goneAt + lingerMs > terms.now) return;
      // It came back in time, and that is only known now.
      const isBack =
        returning?.actorTokenId === actorTokenId && returning.joinedAt * 1_000 <= goneAt + lingerMs;
      if (!isBack) this.leave(actorTokenId, terms);
    }
  }

  /** The room is no more: whoever was in it has left. */
  end(terms: Terms): void {
    for (const actorTokenId of [...this.roll.standing.keys()]) this.leave(actorTokenId, terms);
  }

  private leave(actorTokenId: string, terms: Terms): void {
    const known = this.roll.standing.get(actorTokenId);
    if (known === undefined) return;
    this.change({ kind: 'off', actorTokenId });
    this.tell('left', { actorTokenId, presence: known.presence }, terms);
    if (this.roll.standing.size === 0) this.tell('vacated', null, terms);
  }

  /** [HOOK-EVENT-3] Only events that were asked for have a number. */
  private tell(
    event: RoomEventName,
    about: Pick<Present, 'actorTokenId' | 'presence'> | null,
    { webhook, now }: Terms,
  ): void {
    if (!webhook.events.includes(event)) return;
    const { actorTokenId = null, presence = null } = about ?? {};
    const sequence = this.roll.sequence + 1;
    this.change({
      kind: 'event',
      event: { id: this.newId(), sequence, event, actorTokenId, presence, at: now },
    });
  }

  private change(change: RollChange): void {
    this.roll.apply(change);
    this.onChange(change);
  }
}

/** It went and came while nobody looked. Without a linger that counts; with one, nobody knows for how long it was gone. */
const wasAway = (joinedAt: number, present: Present, { webhook }: Terms): boolean =>
  webhook.lingerSeconds === 0 && present.joinedAt > joinedAt;

const isSame = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one !== undefined && Buffer.compare(one, other) === 0;
