import type { PresenceEntry } from '@roomwire/shared/wire/protocol/presenceFrames';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { closes } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import { accessToRoom, allowsPresence, findRoom } from '../access/roomAccess.js';
import { isCurrent, type TopicAccess } from '../access/topicAccess.js';
import { Counts, countSweepMs } from './counts.js';
import { Lobbies, type LobbyDeps } from './lobbies.js';
import { Members, staysOf, type Member } from './members.js';
import { namedRoom } from './namedRoom.js';
import { ticksPerBeat } from './peers.js';
import { PresenceBoard, type BoardListener, type PresenceBoardDeps } from './presenceBoard.js';
import type { PresenceClient, RoomStay, Stay } from './stay.js';
export interface PresenceDeps extends LobbyDeps, Omit<PresenceBoardDeps, 'clock'> {
  /** Announcements a second and connection; 0 is no limit. */
  readonly presenceRate: number;
  readonly limits: Pick<LimitReports, 'reached'>;
  /** Other modules that keep their own entries on the same board. */
  readonly others: BoardListener;
}

/** What a session announces in a room. */
export interface Arrival extends Pick<RoomStay, 'roomId' | 'access' | 'keep'> {
  /** A MessagePack map. */
  readonly presence: Uint8Array;
}

/** A service closes within this time although the bus is unavailable. */
const closeMs = 2_000;

const maxRooms = limitTable.presenceRooms.value;
const maxCounts = limitTable.presenceCounts.value;

/** The presence of this gateway's sessions, in the rooms and in the lobbies. */
export class Presence {
  readonly board: PresenceBoard;
  readonly lobbies: Lobbies;
  private readonly deps: PresenceDeps;
  private readonly members: Members;
  private readonly counts: Counts;
  /** Withdrawals that the bus has not acknowledged. */
  private readonly leaving = new Set<Promise<void>>();
  private timers: readonly NodeJS.Timeout[] = [];

  constructor(deps: PresenceDeps) {
    this.deps = deps;
    this.members = new Members(deps.presenceRate);
    this.board = new PresenceBoard(deps, {
      onTransition: (transition) => {
        this.members.notify(transition);
        this.counts.notify(transition);
        this.lobbies.notify(transition);
        deps.others.onTransition(transition);
      },
      onOwnPresence: (connection, room) => {
        this.members.entered(connection, room);
        deps.others.onOwnPresence(connection, room);
      },
      onGivingWay: (connection) => this.giveWay(connection),
    });
    this.counts = new Counts({ clock: deps.clock, present: (room) => this.board.presentIn(room) });
    this.lobbies = new Lobbies(deps, this.board);
  }

  /** Resolves when it is known who is present on other gateways. `entries` and `count` must wait for it. */
  get ready(): Promise<void> {
    return this.board.ready;
  }

  async start(): Promise<void> {
    await this.board.start();
    this.timers = [
      setInterval(() => this.board.peers.tick(), this.deps.beatMs / ticksPerBeat).unref(),
      setInterval(() => this.counts.sweep(), countSweepMs).unref(),
    ];
  }

  /** Must be called after the sessions have ended. */
  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    const farewell = Promise.all(this.leaving).then(() => this.board.close());
    await withTimeout(closeMs, farewell, () => undefined, { unref: true });
  }

  /** Whether the session may announce now; counts the announcement. */
  isWithinRate(client: PresenceClient): boolean {
    const { presenceRate, clock } = this.deps;
    if (presenceRate === 0) return true;
    const { announced } = this.members.of(client);
    const now = clock.monotonic();
    if (announced.isFull(now)) return false;
    announced.add(now);
    return true;
  }

  /** Resolves a room name for a session. The names of its current rooms keep their meaning while the session may be there. */
  async find(client: PresenceClient, roomId: string): Promise<TopicAccess | undefined> {
    const member = this.members.find(client);
    for (const { roomId: name, access } of member === undefined ? [] : staysOf(member))
      if (name === roomId && this.isInForce(access)) return access;
    return findRoom(this.deps, client, roomId);
  }

  /** [WS-PRES-1] Resolves when the announcement is in force. */
  async announce(
    client: PresenceClient,
    { roomId, access, keep, presence }: Arrival,
  ): Promise<ProtocolErrorName | void> {
    const member = this.members.of(client);
    const { connection, rooms } = member;
    const { room } = access;
    if (keep && rooms.size >= maxRooms && !rooms.has(room)) return 'subscriptionLimit';
    const { actorTokenId, projectId } = client.identity;
    const announcement = { connection, room, actorTokenId, presence };
    if (!this.board.admits(announcement, !keep)) {
      this.deps.limits.reached('presenceMemory', { projectId, actorTokenId });
      return 'memoryLimitExceeded';
    }
    const [former, stay] = [rooms.get(room), { roomId, access, keep }];
    rooms.set(room, stay);
    member.movingTo = keep ? undefined : room;
    client.restOn(access);
    const isDone = await this.board.announce(announcement);
    member.movingTo = undefined;
    if (isDone) return keep ? undefined : this.leaveOthers(member, room);
    // Other gateways may have received it nevertheless, so the former presence is announced again.
    this.restore(member, room, { stay, former });
    return 'brokerUnavailable';
  }

  entries(access: TopicAccess): readonly PresenceEntry[] {
    return this.board.entries(access.room);
  }

  /** [WS-PRES-17] Begins anew where the session counts already. */
  count(client: PresenceClient, roomId: string, access: TopicAccess): ProtocolErrorName | void {
    const member = this.members.of(client);
    const { room } = access;
    const known = member.counts.get(room);
    if (known === undefined && member.counts.size >= maxCounts) return 'subscriptionLimit';
    if (known !== undefined) this.counts.end(known);
    member.counts.set(room, this.counts.begin({ client, roomId, access }));
    this.members.unwatch(member, room);
    client.restOn(access);
  }

  /** [WS-PRES-16] Resolves when the others have been told, or the bus cannot be reached: then they are told later. */
  async leaveRoom(client: PresenceClient, roomId: string): Promise<void> {
    const member = this.members.find(client);
    const room = member && namedRoom(staysOf(member), roomId);
    if (member === undefined || room === undefined) return;
    this.endCount(member, room);
    await this.withdraw(member, room);
  }

  /** The session has ended. */
  leave(client: PresenceClient): void {
    this.lobbies.leave(client);
    const member = this.members.find(client);
    if (member === undefined) return;
    for (const count of member.counts.values()) this.counts.end(count);
    this.members.remove(member);
    void this.track(this.board.withdraw(member.connection));
  }

  /** [WS-PRES-9] Ends what its actor may no longer have. Rejects when the read models fail. */
  async recheck(client: PresenceClient): Promise<void> {
    const member = this.members.find(client);
    if (member === undefined) return;
    for (const stay of staysOf(member)) if (!isCurrent(stay.access)) await this.recheckStay(member, stay);
  }

  /** [WS-CAP-5] Ends what the token of a session leaves out. */
  endLeftOut(client: PresenceClient): void {
    const member = this.members.find(client);
    if (member === undefined) return;
    for (const stay of staysOf(member)) {
      const { app, room } = slugsOf(stay.access);
      if (!allowsPresence(client.identity, app, room)) this.end(member, stay);
    }
  }

  /** [WS-PRES-9] [WS-GRANT-4] Ends what rests on grants that have expired. */
  endExpired(client: PresenceClient): void {
    const member = this.members.find(client);
    if (member === undefined) return;
    for (const stay of staysOf(member)) {
      if (stay.access.until > this.deps.clock.now()) client.restOn(stay.access);
      else this.end(member, stay);
    }
  }

  private isInForce(access: TopicAccess): boolean {
    return isCurrent(access) && access.until > this.deps.clock.now();
  }

  private giveWay(connection: number): void {
    const client = this.members.at(connection)?.client;
    if (client === undefined || client.isOver) return;
    const { actorTokenId, projectId } = client.identity;
    this.deps.limits.reached('presenceMemory', { projectId, actorTokenId, closed: true });
    client.close(closes.memoryLimitExceeded);
  }

  private async recheckStay(member: Member, stay: Stay): Promise<void> {
    const { access } = stay;
    const { client } = member;
    const { app, room } = slugsOf(access);
    const now = await accessToRoom(this.deps, client.identity, app, room);
    if (client.isOver || stay.access !== access) return;
    if (now?.room !== access.room) return this.end(member, stay);
    stay.access = now;
    client.restOn(now);
  }

  /** Does nothing for one that has ended, or in place of which there is another one. */
  private end(member: Member, stay: Stay): void {
    const { room } = stay.access;
    if (member.counts.get(room) === stay) this.endCount(member, room);
    if (member.rooms.get(room) === stay) void this.withdraw(member, room);
  }

  private endCount(member: Member, room: string): void {
    const count = member.counts.get(room);
    if (count === undefined) return;
    this.counts.end(count);
    member.counts.delete(room);
    this.members.watch(member, room);
  }

  private async leaveOthers(member: Member, room: string): Promise<void> {
    const others = [...member.rooms.keys()].filter((other) => other !== room);
    await Promise.all(others.map((other) => this.withdraw(member, other)));
  }

  /** An announcement has failed. */
  private restore(member: Member, room: string, { stay, former }: Attempt): void {
    const { client, rooms } = member;
    if (rooms.get(room) === stay) {
      if (former === undefined) rooms.delete(room);
      else rooms.set(room, former);
    }
    if (!rooms.has(room)) this.members.unwatch(member, room);
    for (const [other, { access }] of rooms) {
      client.restOn(access);
      this.members.watch(member, other);
    }
  }

  private withdraw(member: Member, room: string): Promise<void> {
    member.rooms.delete(room);
    this.members.unwatch(member, room);
    return this.track(this.board.leave({ connection: member.connection, room }));
  }

  private track(withdrawal: Promise<void>): Promise<void> {
    this.leaving.add(withdrawal);
    return withdrawal.finally(() => this.leaving.delete(withdrawal));
  }
}

interface Attempt {
  readonly stay: RoomStay;
  readonly former: RoomStay | undefined;
}

const slugsOf = ({ room: internal }: TopicAccess): { readonly app: string; readonly room: string } => {
  const [, app = '', , room = ''] = internal.split('/');
  return { app, room };
};
