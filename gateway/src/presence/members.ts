import { presenceFrame } from '@roomwire/shared/wire/protocol/presenceFrames';
import type { TopicAccess } from '../access/topicAccess.js';
import { SlidingWindow } from '../policy/rateLimits.js';
import type { Session } from '../session/session.js';
import type { Transition } from './presenceTable.js';

/** A session of this gateway that has announced a presence, or tried to. */
export interface Member {
  readonly session: Session;
  /** Its number on this gateway. */
  readonly connection: number;
  /** The last announcements, refused ones too. */
  readonly announced: SlidingWindow;
  /** What it was let into its room by; undefined while it is in none. */
  access: TopicAccess | undefined;
  /** The name by which it asked for the room. */
  roomId: string | undefined;
  /** The room whose comings and goings it is told. */
  watched: string | undefined;
}

/** The sessions of this gateway that are present somewhere, and what each of them is told. */
export class Members {
  private readonly rate: number;
  private readonly bySession = new Map<Session, Member>();
  private readonly byConnection = new Map<number, Member>();
  private readonly watchers = new Map<string, Set<Member>>();
  private made = 0;

  constructor(rate: number) {
    this.rate = rate;
  }

  find(session: Session): Member | undefined {
    return this.bySession.get(session);
  }

  of(session: Session): Member {
    const known = this.bySession.get(session);
    if (known !== undefined) return known;
    const member: Member = {
      session,
      connection: ++this.made,
      announced: new SlidingWindow(this.rate, 1_000),
      access: undefined,
      roomId: undefined,
      watched: undefined,
    };
    this.bySession.set(session, member);
    this.byConnection.set(member.connection, member);
    return member;
  }

  remove(member: Member): void {
    this.watch(member, undefined);
    this.bySession.delete(member.session);
    this.byConnection.delete(member.connection);
  }

  /** An announcement is in force: from now on the connection is told what changes in that room, and in no other. */
  entered(connection: number, room: string): void {
    const member = this.byConnection.get(connection);
    if (member?.access?.room === room) this.watch(member, room);
  }

  watch(member: Member, room: string | undefined): void {
    if (member.watched === room) return;
    if (member.watched !== undefined) this.unwatch(member, member.watched);
    member.watched = room;
    if (room === undefined) return;
    const watchers = this.watchers.get(room);
    if (watchers) watchers.add(member);
    else this.watchers.set(room, new Set([member]));
  }

  /** [WS-PRES-5] Tells the others in the room. The frame is made once, whatever their number. */
  tell({ room, event, actorTokenId, presence }: Transition): void {
    const watchers = this.watchers.get(room);
    if (watchers === undefined) return;
    const frame = presenceFrame(event, actorTokenId, presence);
    for (const { session } of watchers) {
      if (session.identity.actorTokenId !== actorTokenId) session.link.outbox.push(frame);
    }
  }

  private unwatch(member: Member, room: string): void {
    const watchers = this.watchers.get(room);
    watchers?.delete(member);
    if (watchers?.size === 0) this.watchers.delete(room);
  }
}
