import { presenceNews, type PresenceNews } from '@roomwire/shared/wire/bus/presenceNews';
import type { GatewayNews, GatewayReport } from '@roomwire/shared/wire/bus/gatewayNews';
import type { QuestionKind } from '@roomwire/shared/wire/bus/gatewayQuestions';
import type { PresencePage, PresenceQuery } from '@roomwire/shared/ports/liveState';
import type { PresenceEntry } from '@roomwire/shared/wire/protocol/presenceFrames';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Random } from '@roomwire/shared/ports/random';
import { calmLogger } from '@roomwire/shared/runtime/onceAMinute';
import { Peers, type PeerListener } from './peers.js';
import { Accounts } from './accounts.js';
import { Announcer, type OwnPresence, type Place } from './announcer.js';
import { PresenceMemory } from './presenceMemory.js';
import { PresenceTable, type KnownPresence, type Transition } from './presenceTable.js';
import { Replica } from './replica.js';

export interface PresenceBoardDeps {
  readonly gatewayId: string;
  readonly bus: MessageBus;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  readonly logger: Logger;
  readonly beatMs: number;
  readonly silenceMs: number;
  readonly answersMs: number;
  /** How long an announcement waits for its record to come back. */
  readonly returnMs: number;
  /** For the presences of all gateways. */
  readonly presenceMemoryBytes: number;
  /** Live connections by organization. */
  readonly connections: () => Readonly<Record<string, number>>;
  /** The questions of other processes that this gateway answers. */
  readonly answers: readonly QuestionKind[];
  /** Gets what gateways say as well. */
  readonly leases: PeerListener;
}

/** Receives changes of presence on all gateways. */
export interface BoardListener {
  onTransition(transition: Transition): void;
  /** An announcement of a connection of this gateway is in force; its transition was reported before. */
  onOwnPresence(connection: number, room: string): void;
}

export interface BoardOwner extends BoardListener {
  /** [WS-MEM-5] A connection of this gateway has to give way to the presences of others. */
  onGivingWay(connection: number): void;
}

/** The presence that a connection announces. */
export type Announcement = Pick<OwnPresence, 'connection' | 'room' | 'actorTokenId' | 'presence'>;

/** Who is present in which room on all gateways, the same on each of them. */
export class PresenceBoard {
  readonly peers: Peers;
  private readonly memory: PresenceMemory;
  private readonly table: PresenceTable;
  private readonly announcer: Announcer;
  private readonly accounts: Accounts;
  private readonly replica: Replica;
  private readonly readiness: Readiness;
  private readonly deps: PresenceBoardDeps;
  private readonly listener: BoardOwner;
  private reader: ChannelReader | undefined;
  private startedAt = Number.POSITIVE_INFINITY;

  constructor(deps: PresenceBoardDeps, listener: BoardOwner) {
    this.deps = deps;
    this.memory = new PresenceMemory(deps.presenceMemoryBytes);
    this.table = new PresenceTable(this.memory);
    this.listener = listener;
    this.peers = new Peers({
      ...deps,
      report: () => this.report(),
      listener: {
        onNews: (news) => {
          this.takeNews(news);
          deps.leases.onNews(news);
        },
        onGone: (...gone) => {
          this.replica.gone(...gone);
          deps.leases.onGone(...gone);
        },
      },
    });
    this.announcer = new Announcer({ ...deps, logger: calmLogger(deps) });
    this.accounts = new Accounts({
      ...deps,
      announcer: this.announcer,
      reports: () => this.peers.reports,
      sendNews: (news) => this.peers.send(news),
    });
    this.readiness = new Readiness(deps.answersMs, () => this.replica.caughtUp());
    this.replica = new Replica({
      ...deps,
      table: this.table,
      requestState: (gatewayId) => this.peers.requestState(gatewayId),
      onFound: (gatewayId) => this.peers.watch(gatewayId),
      onTransition: (transition) => this.listener.onTransition(transition),
      onSynced: () => this.readiness.check(this.replica.isSynced),
    });
  }

  /** Resolves when the presences of all known gateways have been received, or after a timeout. */
  get ready(): Promise<void> {
    return this.readiness.reached;
  }

  async start(): Promise<void> {
    this.replica.hello(this.deps.gatewayId);
    const reading = this.deps.bus.read(presenceNews, { interest: 'all' }, (news) => this.take(news));
    [this.reader] = await Promise.all([reading, this.peers.listen()]);
    await this.peers.sendHello();
    this.startedAt = this.deps.clock.monotonic();
    this.readiness.begin(() => this.replica.isSynced);
  }

  /** The presences of this gateway must have been withdrawn. */
  async close(): Promise<void> {
    this.readiness.stop();
    await Promise.all([this.peers.close(), this.reader?.close()]);
  }

  /** Of an internal room. */
  entries(room: string): readonly PresenceEntry[] {
    return this.table.entries(room);
  }

  /** Internal rooms that are not empty. */
  get rooms(): Iterable<string> {
    return this.table.internalRooms;
  }

  /** Unix seconds; undefined for an actor that is not present in the internal room. */
  presentSince(room: string, actorTokenId: string): number | undefined {
    return this.table.presentSince(room, actorTokenId);
  }

  /**
   * Whether whoever is not on the board is not present: this gateway has heard the beats of all others since it started, and has all that
   * they have said. One that has just started, or cannot be heard, may lack somebody.
   */
  get isWhole(): boolean {
    return this.isOld && this.peers.isHeard && this.replica.isSynced;
  }

  /** Whether the presences of all gateways have been received, and changes come in. */
  get isKnown(): boolean {
    return this.readiness.isSynced && this.deps.bus.reachable;
  }

  page(query: PresenceQuery): PresencePage {
    return this.table.page(query);
  }

  /** How many actors are present in an internal room. */
  presentIn(room: string): number {
    return this.table.presentIn(room);
  }

  /** Present actors, without those in rooms that `isExcluded`. */
  count(isExcluded: (room: string) => boolean): number {
    return this.table.count(isExcluded);
  }

  roomsIn(scopedApp: string): readonly string[] {
    return this.table.roomsIn(scopedApp);
  }

  /** Of all presences. */
  get memoryBytes(): number {
    return this.memory.bytes;
  }

  /** Whether there is memory for it, in place of what the connection has announced there, or in all rooms when it leaves the others. */
  admits(announcement: Announcement, leavesOthers: boolean): boolean {
    const { presences } = this.announcer;
    const here = presences.at(announcement);
    const former = leavesOthers ? presences.of(announcement.connection) : here === undefined ? [] : [here];
    return this.memory.admits(announcement, former);
  }

  /**
   * Resolves when the announcement is in force on this gateway. False when the bus has not stored it: then the connection is
   * in the room as it was before. Its other rooms stay.
   */
  async announce(announcement: Announcement): Promise<boolean> {
    const { presences } = this.announcer;
    const former = presences.at(announcement);
    const presence = this.ranked(announcement);
    presences.set(presence);
    try {
      await this.announcer.announce(presence, former === undefined ? 'enter' : 'change');
      return true;
    } catch {
      if (presences.at(presence) !== presence) return false;
      if (former === undefined) presences.delete(presence);
      else presences.set(former);
      return false;
    }
  }

  /** Resolves when the bus has stored it or failed to; after a failure an account follows once the bus is available. */
  async leave(place: Place): Promise<void> {
    const { presences } = this.announcer;
    const presence = presences.at(place);
    if (presence === undefined) return;
    presences.delete(place);
    await this.announcer.withdraw(presence).catch(() => undefined);
  }

  /** As `leave`, from all of its rooms. */
  async withdraw(connection: number): Promise<void> {
    await Promise.all(this.announcer.presences.of(connection).map((presence) => this.leave(presence)));
  }

  /** Two beats of each. */
  private get isOld(): boolean {
    return this.deps.clock.monotonic() - this.startedAt > this.deps.beatMs * 2;
  }

  private ranked(announcement: Announcement): OwnPresence {
    const others = this.table.connectionsOf(announcement.room, announcement.actorTokenId);
    const since = Math.min(this.deps.clock.now() / 1_000, ...others.map(({ joinedAt }) => joinedAt));
    const rank = 1 + Math.max(0, ...others.map((one: KnownPresence) => one.rank));
    return { ...announcement, joinedAt: Math.floor(since), rank };
  }

  private take(news: PresenceNews): void {
    this.replica.take(news);
    const { excessive } = this.memory;
    if (excessive?.gatewayId === this.deps.gatewayId) this.listener.onGivingWay(excessive.connection);
    if (news.kind === 'account' || news.gatewayId !== this.deps.gatewayId) return;
    if (news.kind !== 'leave') this.listener.onOwnPresence(news.connection, news.room);
    this.announcer.returned(news.sequence);
  }

  private report(): GatewayReport {
    const { settledSequence: presenceSequence } = this.announcer;
    return {
      ...{ connections: this.deps.connections(), presenceSequence },
      ...{ readsAccounts: true, takesLeases: true, knowsOwn: true },
      answers: this.deps.answers,
    };
  }

  private takeNews(news: GatewayNews): void {
    const { gatewayId } = news;
    const isOwn = gatewayId === this.deps.gatewayId;
    switch (news.kind) {
      case 'hello':
        this.replica.hello(gatewayId);
        if (isOwn) return undefined;
        return news.report?.keepsPresences === false
          ? this.peers.sendHeartbeat()
          : this.accounts.answer(gatewayId);
      case 'beat':
        // The bus is available.
        if (isOwn && this.announcer.hasUnstored) this.accounts.answerAll();
        return this.replica.heartbeat(gatewayId, news.report);
      case 'state':
        return this.replica.snapshotSent(gatewayId, news.from, news.upTo);
      case 'ask':
        return news.to === this.deps.gatewayId ? this.accounts.answer(gatewayId) : undefined;
      case 'account':
        return this.replica.accountSent(news);
    }
  }
}

/** The gateway answers after this time, whether the others have answered or not. */
const longestMs = 2_000;

/**
 * When a newly started gateway may answer presence requests: after the time for answers to its hello, and when all gateways
 * that answered have sent their presences.
 */
export class Readiness {
  readonly reached: Promise<void>;
  /** Whether it was reached because all have sent theirs; it may still be, when the time is over. */
  isSynced = false;
  private readonly answersMs: number;
  private resolve!: () => void;
  private isTimeOver = false;
  private timers: readonly NodeJS.Timeout[] = [];

  constructor(answersMs: number, onReached: () => void) {
    this.answersMs = answersMs;
    this.reached = new Promise<void>((resolve) => (this.resolve = resolve)).then(onReached);
  }

  /** The hello has been sent. */
  begin(isSynced: () => boolean): void {
    const answered = (): void => {
      this.isTimeOver = true;
      this.check(isSynced());
    };
    if (this.answersMs === 0) answered();
    else this.timers = [setTimeout(answered, this.answersMs).unref()];
    this.timers = [...this.timers, setTimeout(() => this.resolve(), longestMs).unref()];
  }

  check(isSynced: boolean): void {
    if (!this.isTimeOver || !isSynced) return;
    this.isSynced = true;
    this.resolve();
  }

  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.resolve();
  }
}
