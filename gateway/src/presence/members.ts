import { presenceFrame } from '@roomwire/shared/wire/protocol/presenceFrames';
import { SlidingWindow } from '../policy/rateLimits.js';
import type { Count } from './counts.js';
import { FramesByName } from './framesByName.js';
import type { Transition } from './presenceTable.js';
import type { PresenceClient, RoomStay, Stay } from './stay.js';

/** A session of this gateway that is in rooms, tried to be, or counts. Its rooms are internal ones. */
export interface Member {
  readonly client: PresenceClient;
  /** Its number on this gateway. */
  readonly connection: number;
  /** The last announcements, refused ones too. */
  readonly announced: SlidingWindow;
  /** Also the one that it is about to enter. */
  readonly rooms: Map<string, RoomStay>;
  readonly counts: Map<string, Count>;
  /** The room that it is about to enter in place of all others. */
  movingTo: string | undefined;
}

export const staysOf = ({ rooms, counts }: Member): readonly Stay[] => [
  ...rooms.values(),
  ...counts.values(),
];

/** The sessions of this gateway that have to do with rooms, and the events that each of them gets. */
export class Members {
  private readonly rate: number;
  private readonly byClient = new Map<PresenceClient, Member>();
  private readonly byConnection = new Map<number, Member>();
  /** By room. */
  private readonly watchers = new Map<string, Map<Member, RoomStay>>();
  private made = 0;

  constructor(rate: number) {
    this.rate = rate;
  }

  find(client: PresenceClient): Member | undefined {
    return this.byClient.get(client);
  }

  at(connection: number): Member | undefined {
    return this.byConnection.get(connection);
  }

  of(client: PresenceClient): Member {
    const known = this.byClient.get(client);
    if (known !== undefined) return known;
    const member: Member = {
      client,
      connection: ++this.made,
      announced: new SlidingWindow(this.rate, 1_000),
      rooms: new Map(),
      counts: new Map(),
      movingTo: undefined,
    };
    this.byClient.set(client, member);
    this.byConnection.set(member.connection, member);
    return member;
  }

  remove(member: Member): void {
    for (const room of member.rooms.keys()) this.unwatch(member, room);
    member.rooms.clear();
    member.counts.clear();
    this.byClient.delete(member.client);
    this.byConnection.delete(member.connection);
  }

  /** An announcement is in force: the connection now gets the events of the room. */
  entered(connection: number, room: string): void {
    const member = this.byConnection.get(connection);
    if (member?.rooms.has(room) !== true) return;
    if (member.movingTo === room)
      for (const other of member.rooms.keys()) if (other !== room) this.unwatch(member, other);
    this.watch(member, room);
  }

  /** [WS-PRES-18] Who counts gets no events. */
  watch(member: Member, room: string): void {
    const stay = member.rooms.get(room);
    if (stay === undefined || member.counts.has(room)) return;
    const inRoom = this.watchers.get(room);
    if (inRoom === undefined) this.watchers.set(room, new Map([[member, stay]]));
    else inRoom.set(member, stay);
  }

  unwatch(member: Member, room: string): void {
    const inRoom = this.watchers.get(room);
    inRoom?.delete(member);
    if (inRoom?.size === 0) this.watchers.delete(room);
  }

  /** [WS-PRES-5] Sends an event to the others in the room. */
  notify(transition: Transition): void {
    const watchers = this.watchers.get(transition.room);
    if (watchers === undefined) return;
    // [WS-PRES-14] Whoever may be in several rooms is told which one it is.
    const frames = new FramesByName((roomId) => presenceFrame(transition, roomId));
    for (const [{ client }, { keep, roomId }] of watchers) {
      if (client.identity.actorTokenId === transition.actorTokenId) continue;
      client.outbox.push(frames.of(keep ? roomId : undefined));
    }
  }
}
