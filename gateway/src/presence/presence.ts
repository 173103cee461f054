import { presenceFrame, type PresenceEntry } from '@roomwire/shared/wire/protocol/presenceFrames';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { closes } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import { accessToRoom, allowsPresence, findRoom } from '../access/roomAccess.js';
import { isCurrent, type TopicAccess } from '../access/topicAccess.js';
import { SlidingWindow } from '../policy/rateLimits.js';
import { SetMultimap } from '../setMultimap.js';
import { Lobbies, type LobbyClient, type LobbyDeps } from './lobbies.js';
import { ticksPerBeat } from './peers.js';
import { PresenceBoard, type BoardListener, type PresenceBoardDeps } from './presenceBoard.js';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import type { Transition } from './presenceTable.js';

/** A session that announces and reads presence. */
export interface PresenceClient extends LobbyClient {
  /** Has `endExpired` called when these rights have expired. */
  restOn(access: TopicAccess): void;
}

export interface PresenceDeps extends LobbyDeps, Omit<PresenceBoardDeps, 'clock'> {
  /** Announcements a second and connection; 0 is no limit. */
  readonly presenceRate: number;
  readonly limits: Pick<LimitReports, 'reached'>;
  /** Other modules that keep their own entries on the same board. */
  readonly others: BoardListener;
}

/** A service closes within this time although the bus is unavailable. */
const closeMs = 2_000;

/** The presence of this gateway's sessions, in the rooms and in the lobbies. */
export class Presence {
  readonly board: PresenceBoard;
  readonly lobbies: Lobbies;
  private readonly deps: PresenceDeps;
  private readonly members: Members;
  /** Withdrawals that the bus has not acknowledged. */
  private readonly leaving = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(deps: PresenceDeps) {
    this.deps = deps;
    this.members = new Members(deps.presenceRate);
    this.board = new PresenceBoard(deps, {
      onTransition: (transition) => {
        this.members.notify(transition);
        this.lobbies.notify(transition);
        deps.others.onTransition(transition);
      },
      onOwnPresence: (connection, room) => {
        this.members.entered(connection, room);
        deps.others.onOwnPresence(connection, room);
      },
      onGivingWay: (connection) => this.giveWay(connection),
    });
    this.lobbies = new Lobbies(deps, this.board);
  }

  async start(): Promise<void> {
    await this.board.start();
    this.timer = setInterval(() => this.board.peers.tick(), this.deps.beatMs / ticksPerBeat).unref();
  }

  /** Must be called after the sessions have ended. */
  async close(): Promise<void> {
    clearInterval(this.timer);
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

  /** Resolves a room name for a session. The name of its current room keeps its meaning while the session may be there. */
  async find(client: PresenceClient, roomId: string): Promise<TopicAccess | undefined> {
    const member = this.members.find(client);
    if (member?.roomId === roomId && member.access && this.isInForce(member.access)) return member.access;
    return findRoom(this.deps, client, roomId);
  }

  /** [WS-PRES-1] Resolves when the announcement is in force. */
  async announce(
    client: PresenceClient,
    roomId: string,
    access: TopicAccess,
    presence: Uint8Array,
  ): Promise<ProtocolErrorName | void> {
    const member = this.members.of(client);
    const { connection } = member;
    const { actorTokenId, projectId } = client.identity;
    const announcement = { connection, room: access.room, actorTokenId, presence };
    if (!this.board.admits(announcement)) {
      this.deps.limits.reached('presenceMemory', { projectId, actorTokenId });
      return 'memoryLimitExceeded';
    }
    const former = { access: member.access, roomId: member.roomId };
    Object.assign(member, { access, roomId });
    client.restOn(access);
    const isDone = await this.board.announce(announcement);
    if (isDone) return;
    // Other gateways may have received it nevertheless, so the former presence is announced again.
    if (member.access === access) Object.assign(member, former);
    if (member.access) client.restOn(member.access);
    if (!client.isOver) this.members.watch(member, member.access?.room);
    return 'brokerUnavailable';
  }

  async entries(access: TopicAccess): Promise<readonly PresenceEntry[]> {
    await this.board.ready;
    return this.board.entries(access.room);
  }

  /** The session has ended. */
  leave(client: PresenceClient): void {
    this.lobbies.leave(client);
    const member = this.members.find(client);
    if (member === undefined) return;
    this.withdraw(member);
    this.members.remove(member);
  }

  /** [WS-PRES-9] Ends a presence that its actor may no longer have. Rejects when the read models fail. */
  async recheck(client: PresenceClient): Promise<void> {
    const member = this.members.find(client);
    const access = member?.access;
    if (member === undefined || access === undefined || isCurrent(access)) return;
    const { app, room } = slugsOf(access);
    const now = await accessToRoom(this.deps, client.identity, app, room);
    if (client.isOver || member.access !== access) return;
    if (now?.room !== access.room) return this.withdraw(member);
    member.access = now;
    client.restOn(now);
  }

  /** [WS-CAP-5] Ends a presence that the token of a session leaves out. */
  endLeftOut(client: PresenceClient): void {
    const member = this.members.find(client);
    if (member?.access === undefined) return;
    const { app, room } = slugsOf(member.access);
    if (!allowsPresence(client.identity, app, room)) this.withdraw(member);
  }

  /** [WS-PRES-9] [WS-GRANT-4] Ends a presence whose grant has expired. */
  endExpired(client: PresenceClient): void {
    const member = this.members.find(client);
    if (member?.access === undefined) return;
    if (member.access.until > this.deps.clock.now()) client.restOn(member.access);
    else this.withdraw(member);
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

  private withdraw(member: Member): void {
    member.access = undefined;
    member.roomId = undefined;
    this.members.watch(member, undefined);
    const withdrawal = this.board.withdraw(member.connection);
    this.leaving.add(withdrawal);
    void withdrawal.then(() => this.leaving.delete(withdrawal));
  }
}

const slugsOf = ({ room: internal }: TopicAccess): { readonly app: string; readonly room: string } => {
  const [, app = '', , room = ''] = internal.split('/');
  return { app, room };
};

/** A session of this gateway that has announced a presence, or tried to. */
export interface Member {
  readonly client: PresenceClient;
  /** Its number on this gateway. */
  readonly connection: number;
  /** The last announcements, refused ones too. */
  readonly announced: SlidingWindow;
  /** The rights to its room; undefined while it is in none. */
  access: TopicAccess | undefined;
  /** The name by which it entered the room. */
  roomId: string | undefined;
  /** The room whose events it gets. */
  watched: string | undefined;
}

/** The sessions of this gateway that are present in a room, and the events that each of them gets. */
export class Members {
  private readonly rate: number;
  private readonly byClient = new Map<PresenceClient, Member>();
  private readonly byConnection = new Map<number, Member>();
  private readonly watchers = new SetMultimap<string, Member>();
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
      access: undefined,
      roomId: undefined,
      watched: undefined,
    };
    this.byClient.set(client, member);
    this.byConnection.set(member.connection, member);
    return member;
  }

  remove(member: Member): void {
    this.watch(member, undefined);
    this.byClient.delete(member.client);
    this.byConnection.delete(member.connection);
  }

  /** An announcement is in force: the connection now gets the events of that room only. */
  entered(connection: number, room: string): void {
    const member = this.byConnection.get(connection);
    if (member?.access?.room === room) this.watch(member, room);
  }

  watch(member: Member, room: string | undefined): void {
    if (member.watched === room) return;
    if (member.watched !== undefined) this.watchers.delete(member.watched, member);
    member.watched = room;
    if (room !== undefined) this.watchers.add(room, member);
  }

  /** [WS-PRES-5] Sends an event to the others in the room. The frame is encoded once for all of them. */
  notify({ room, event, actorTokenId, presence }: Transition): void {
    const watchers = this.watchers.get(room);
    if (watchers === undefined) return;
    const frame = presenceFrame(event, actorTokenId, presence);
    for (const { client } of watchers) {
      if (client.identity.actorTokenId !== actorTokenId) client.outbox.push(frame);
    }
  }
}
