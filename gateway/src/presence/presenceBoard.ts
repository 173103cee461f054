import { presenceNews, type PresenceNews } from '@roomwire/shared/wire/bus/presenceNews';
import type { GatewayReport } from '@roomwire/shared/wire/bus/gatewayNews';
import type { PresenceEntry } from '@roomwire/shared/wire/protocol/presenceFrames';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';
import { Peers } from './peers.js';
import { Announcer, type OwnPresence } from './announcer.js';
import { PresenceTable, type KnownPresence, type Transition } from './presenceTable.js';
import { Replica } from './replica.js';

export interface PresenceBoardDeps {
  readonly gatewayId: string;
  readonly bus: MessageBus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly beatMs: number;
  readonly silenceMs: number;
  readonly answersMs: number;
  /** How long an announcement waits for its record to come back. */
  readonly returnMs: number;
  /** Live connections by organization. */
  readonly connections: () => Readonly<Record<string, number>>;
}

/** What of the board concerns the connections of this gateway. */
export interface BoardListener {
  onTransition(transition: Transition): void;
  /** An announcement of a connection of ours is in force, after everybody was told. */
  onOwnPresence(connection: number, room: string): void;
}

/** Where a connection wants to be present. */
export type Wish = Pick<OwnPresence, 'connection' | 'room' | 'actorTokenId' | 'presence'>;

/** Who is present in which room, on all gateways alike, and what this gateway has to say to it. */
export class PresenceBoard {
  readonly peers: Peers;
  private readonly table = new PresenceTable();
  private readonly announcer: Announcer;
  private readonly replica: Replica;
  private readonly readiness: Readiness;
  private readonly deps: PresenceBoardDeps;
  private readonly listener: BoardListener;
  private reader: ChannelReader | undefined;

  constructor(deps: PresenceBoardDeps, listener: BoardListener) {
    this.deps = deps;
    this.listener = listener;
    this.peers = new Peers({ ...deps, report: () => this.report(), listener: this.peerListener() });
    this.announcer = new Announcer({
      ...deps,
      tellState: (from, upTo) => this.peers.tell({ kind: 'state', gatewayId: deps.gatewayId, from, upTo }),
    });
    this.readiness = new Readiness(deps.answersMs, () => this.learnt());
    this.replica = new Replica({
      table: this.table,
      ask: (gatewayId) => this.peers.ask(gatewayId),
      noticed: (gatewayId) => this.peers.noticed(gatewayId),
      onTransition: (transition) => this.listener.onTransition(transition),
      onSynced: () => this.readiness.look(this.replica.isSynced),
    });
  }

  /** Resolves when the gateways that this one knows of have said what they stand for, or have had the time to. */
  get ready(): Promise<void> {
    return this.readiness.reached;
  }

  async start(): Promise<void> {
    this.replica.hello(this.deps.gatewayId);
    const reading = this.deps.bus.read(presenceNews, { interest: 'all' }, (news) => this.take(news));
    [this.reader] = await Promise.all([reading, this.peers.listen()]);
    await this.peers.sayHello();
    this.readiness.begin(() => this.replica.isSynced);
  }

  /** Everything that the gateway stood for must have been withdrawn. */
  async close(): Promise<void> {
    this.readiness.stop();
    await this.peers.close();
    await this.reader?.close();
  }

  /** Of an internal room. */
  entries(room: string): readonly PresenceEntry[] {
    return this.table.entries(room);
  }

  /** Present actors, without those in rooms that `isLeftOut`. */
  count(isLeftOut: (room: string) => boolean): number {
    return this.table.count(isLeftOut);
  }

  roomsIn(estate: string): readonly string[] {
    return this.table.roomsIn(estate);
  }

  presenceOf(connection: number): OwnPresence | undefined {
    return this.announcer.presenceOf(connection);
  }

  /**
   * Resolves when the announcement is in force on this gateway, with whether it is. False when the bus has not taken
   * it: then the connection is where it was. Ends the presence in the former room.
   */
  async announce(wish: Wish): Promise<boolean> {
    const { connection } = wish;
    const former = this.announcer.presenceOf(connection);
    const presence = this.ranked(wish);
    this.announcer.standFor(connection, presence);
    try {
      await this.announcer.announce(presence, former?.room === wish.room ? 'change' : 'enter');
    } catch {
      if (this.presenceOf(connection) === presence) this.announcer.standFor(connection, former);
      return false;
    }
    if (former !== undefined && former.room !== wish.room) await this.leave(former);
    return true;
  }

  /** Resolves when the bus has heard of it; when it cannot, everything is said again once it can. */
  async withdraw(connection: number): Promise<void> {
    const presence = this.presenceOf(connection);
    this.announcer.standFor(connection, undefined);
    if (presence !== undefined) await this.leave(presence);
  }

  private leave(presence: OwnPresence): Promise<void> {
    return this.announcer.withdraw(presence).catch(() => undefined);
  }

  private ranked(wish: Wish): OwnPresence {
    const others = this.table.connectionsOf(wish.room, wish.actorTokenId);
    const since = Math.min(this.deps.clock.now() / 1_000, ...others.map(({ joinedAt }) => joinedAt));
    const rank = 1 + Math.max(0, ...others.map((one: KnownPresence) => one.rank));
    return { ...wish, joinedAt: Math.floor(since), rank };
  }

  private take(news: PresenceNews): void {
    this.replica.take(news);
    if (news.gatewayId !== this.deps.gatewayId) return;
    if (news.kind !== 'leave') this.listener.onOwnPresence(news.connection, news.room);
    this.announcer.cameBack(news.sequence);
  }

  private learnt(): void {
    this.replica.isLearning = false;
  }

  private report(): GatewayReport {
    const { settledSequence: presenceSequence } = this.announcer;
    return { connections: this.deps.connections(), presenceSequence };
  }

  private peerListener() {
    const { gatewayId: self } = this.deps;
    return {
      onHello: (gatewayId: string) => {
        this.replica.hello(gatewayId);
        if (gatewayId !== self) this.announcer.giveAccount();
      },
      onBeat: (gatewayId: string, report: GatewayReport) => {
        if (gatewayId === self) this.announcer.onOwnBeat();
        this.replica.beat(gatewayId, report);
      },
      onState: (gatewayId: string, from: number, upTo: number) => this.replica.state(gatewayId, from, upTo),
      onAsked: () => this.announcer.giveAccount(),
      onGone: (gatewayId: string, forGood: boolean) => this.replica.gone(gatewayId, forGood),
    };
  }
}

/** However long the others take, this gateway answers after so long. */
const patienceMs = 2_000;

/**
 * When a gateway that has just started may say who is present: when those that answered its hello have told it all,
 * and the time for an answer has passed.
 */
export class Readiness {
  readonly reached: Promise<void>;
  private readonly answersMs: number;
  private resolve!: () => void;
  private hadTime = false;
  private timers: readonly NodeJS.Timeout[] = [];

  constructor(answersMs: number, onReached: () => void) {
    this.answersMs = answersMs;
    this.reached = new Promise<void>((resolve) => (this.resolve = resolve)).then(onReached);
  }

  /** The hello has been said. */
  begin(isSynced: () => boolean): void {
    const answered = (): void => {
      this.hadTime = true;
      this.look(isSynced());
    };
    if (this.answersMs === 0) answered();
    else this.timers = [setTimeout(answered, this.answersMs).unref()];
    this.timers = [...this.timers, setTimeout(() => this.resolve(), patienceMs).unref()];
  }

  look(isSynced: boolean): void {
    if (this.hadTime && isSynced) this.resolve();
  }

  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.resolve();
  }
}
