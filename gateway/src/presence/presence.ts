import type { PresenceEntry } from '@roomwire/shared/wire/protocol/presenceFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import { accessToRoom, findRoom, type LookupDeps } from '../access/roomAccess.js';
import { isCurrent, type TopicAccess } from '../access/topicAccess.js';
import { Lobbies } from './lobbies.js';
import { ticksPerBeat } from './peers.js';
import type { Session } from '../session/session.js';
import { Members, type Member } from './members.js';
import { PresenceBoard, type BoardListener, type PresenceBoardDeps } from './presenceBoard.js';
import { withTimeout } from '@roomwire/shared/runtime/waiting';

export interface PresenceDeps extends LookupDeps, Omit<PresenceBoardDeps, 'clock'> {
  /** Announcements a second and connection; 0 is no limit. */
  readonly presenceRate: number;
  /** Who keeps something else than actors on the same board. */
  readonly others: BoardListener;
}

/** A service closes although the bus is away. */
const closeMs = 2_000;

/** The presence of this gateway's sessions, in the rooms and in the lobbies. */
export class Presence {
  readonly board: PresenceBoard;
  readonly lobbies: Lobbies;
  private readonly deps: PresenceDeps;
  private readonly members: Members;
  /** Withdrawals that the bus has not answered for. */
  private readonly leaving = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(deps: PresenceDeps) {
    this.deps = deps;
    this.members = new Members(deps.presenceRate);
    this.board = new PresenceBoard(deps, {
      onTransition: (transition) => {
        this.members.tell(transition);
        this.lobbies.tell(transition);
        deps.others.onTransition(transition);
      },
      onOwnPresence: (connection, room) => {
        this.members.entered(connection, room);
        deps.others.onOwnPresence(connection, room);
      },
    });
    this.lobbies = new Lobbies(deps, this.board);
  }

  async start(): Promise<void> {
    await this.board.start();
    this.timer = setInterval(() => this.board.peers.tick(), this.deps.beatMs / ticksPerBeat).unref();
  }

  /** The sessions must be over. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    const farewell = Promise.all(this.leaving).then(() => this.board.close());
    await withTimeout(closeMs, farewell, () => undefined, { unref: true });
  }

  /** Whether the session may announce once more now; counts it. */
  isWithinRate(session: Session): boolean {
    const { presenceRate, clock } = this.deps;
    if (presenceRate === 0) return true;
    const { announced } = this.members.of(session);
    const now = clock.monotonic();
    if (announced.isFull(now)) return false;
    announced.add(now);
    return true;
  }

  /** The room that a name means for a session: for as long as it may be there, the one that it is in by that name. */
  async find(session: Session, roomId: string): Promise<TopicAccess | undefined> {
    const member = this.members.find(session);
    if (member?.roomId === roomId && member.access && this.isInForce(member.access)) return member.access;
    return findRoom(this.deps, session, roomId);
  }

  /** [WS-PRES-1] Resolves when the announcement is in force. */
  async announce(
    session: Session,
    roomId: string,
    access: TopicAccess,
    presence: Uint8Array,
  ): Promise<ProtocolErrorName | void> {
    const member = this.members.of(session);
    const former = { access: member.access, roomId: member.roomId };
    Object.assign(member, { access, roomId });
    session.restOn(access);
    const { connection } = member;
    const { actorTokenId } = session.identity;
    const isDone = await this.board.announce({ connection, room: access.room, actorTokenId, presence });
    if (isDone) return;
    // It may have come to the others all the same: they are told again where the connection is.
    if (member.access === access) Object.assign(member, former);
    if (member.access) session.restOn(member.access);
    if (!session.isOver) this.members.watch(member, member.access?.room);
    return 'brokerUnavailable';
  }

  async entries(access: TopicAccess): Promise<readonly PresenceEntry[]> {
    await this.board.ready;
    return this.board.entries(access.room);
  }

  /** The session is over. */
  leave(session: Session): void {
    this.lobbies.leave(session);
    const member = this.members.find(session);
    if (member === undefined) return;
    this.withdraw(member);
    this.members.remove(member);
  }

  /** [WS-PRES-9] Takes away a presence that its actor may no longer have. Rejects when the read models fail. */
  async recheck(session: Session): Promise<void> {
    const member = this.members.find(session);
    const access = member?.access;
    if (member === undefined || access === undefined || isCurrent(access)) return;
    const [, app = '', , room = ''] = access.room.split('/');
    const now = await accessToRoom(this.deps, session.identity, app, room);
    if (session.isOver || member.access !== access) return;
    if (now?.room !== access.room) return this.withdraw(member);
    member.access = now;
    session.restOn(now);
  }

  /** [WS-PRES-9] [WS-GRANT-4] Takes away a presence whose grant has come to its end. */
  endLapsed(session: Session): void {
    const member = this.members.find(session);
    if (member?.access === undefined) return;
    if (member.access.until > this.deps.clock.now()) session.restOn(member.access);
    else this.withdraw(member);
  }

  private isInForce(access: TopicAccess): boolean {
    return isCurrent(access) && access.until > this.deps.clock.now();
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
