import type { GatewayNews, GatewayReport } from '@roomwire/shared/wire/bus/gatewayNews';
import {
  accountedPresences,
  type PresenceAccount,
  type PresenceNews,
  type PresencePut,
} from '@roomwire/shared/wire/bus/presenceNews';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Random } from '@roomwire/shared/ports/random';
import { backOffMs, chanceOf, withJitter } from '@roomwire/shared/runtime/waiting';
import type { PresenceTable, Transition } from './presenceTable.js';

export interface ReplicaDeps {
  /** Of this gateway. */
  readonly gatewayId: string;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  readonly beatMs: number;
  readonly table: PresenceTable;
  /** Asks a gateway for an account of its presences. */
  readonly requestState: (gatewayId: string) => void;
  /** Called for the first record of an unknown gateway. */
  readonly onFound: (gatewayId: string) => void;
  readonly onTransition: (transition: Transition) => void;
  /** All presences of a gateway are known, or the gateway has ended. */
  readonly onSynced: () => void;
}

/** Progress in reading the records of a gateway. */
interface Source {
  received: ReceivedSequences;
  isSynced: boolean;
  /** The records of a full account for all gateways of which some are missing. */
  awaited: { readonly from: number; readonly upTo: number } | undefined;
  /** The last account for this gateway. */
  account: ReceivedAccount | undefined;
  /** Times that it was asked for an account, since it last had nothing to be asked for. */
  asks: number;
  /** Not asked before this time. */
  askAt: number;
  /** The number in its last heartbeat. All records up to it must arrive before the next one. */
  due: number;
}

type AccountSent = Extract<GatewayNews, { readonly kind: 'account' }>;

interface ReceivedAccount {
  readonly number: number;
  readonly parts: ReceivedSequences;
  /** Undefined until all of it has been sent. */
  sent: AccountSent | undefined;
}

const maxDeparted = 1_000;

/** The longest wait before a gateway is asked again, whose answers do not arrive or are never complete. */
const longestAskMs = 30_000;

/**
 * Keeps the table up to date with the records of all gateways, which each of them numbers. Where one is missing, or a gateway
 * is new, an account is requested, which replaces everything that it sent before.
 */
export class Replica {
  /** Until then, presences that began before this gateway started are not reported as joins. */
  private isCaughtUp = false;
  private readonly deps: ReplicaDeps;
  private readonly sources = new Map<string, Source>();
  /** Gateways that said goodbye, the oldest first: their last records may still come. */
  private readonly departed = new Set<string>();

  constructor(deps: ReplicaDeps) {
    this.deps = deps;
  }

  get isSynced(): boolean {
    return [...this.sources.values()].every(({ isSynced }) => isSynced);
  }

  take(news: PresenceNews): void {
    if (news.kind === 'account' && !news.to.includes(this.deps.gatewayId)) return;
    if (this.departed.has(news.gatewayId)) return;
    const source = this.source(news.gatewayId);
    if (news.kind === 'account') return this.takeAccount(source, news);
    if (news.kind === 'again') this.holdAsk(source);
    if (!source.received.add(news.sequence)) return;
    const transition = news.kind === 'leave' ? this.deps.table.remove(news) : this.put(news);
    if (transition !== undefined) this.deps.onTransition(transition);
    this.completeSnapshot(news.gatewayId, source);
  }

  /** Its numbers begin at 1. Records may arrive before the hello, since rooms are on other partitions. */
  hello(gatewayId: string): void {
    if (this.departed.has(gatewayId)) return;
    this.source(gatewayId).isSynced = true;
  }

  heartbeat(gatewayId: string, { presenceSequence }: GatewayReport): void {
    const source = this.source(gatewayId);
    if (this.now >= source.askAt) {
      if (source.isSynced && source.received.hasAllUpTo(source.due)) source.asks = 0;
      else this.ask(gatewayId, source);
    }
    source.due = presenceSequence;
  }

  /** An account is complete with its last record, on whichever channel that arrives. */
  accountSent(sent: AccountSent): void {
    const { gatewayId, to, account } = sent;
    if (!to.includes(this.deps.gatewayId) || this.departed.has(gatewayId)) return;
    const source = this.source(gatewayId);
    const received = this.receivedOf(source, account);
    if (received === undefined) return;
    received.sent = sent;
    this.completeAccount(source, received);
  }

  snapshotSent(gatewayId: string, from: number, upTo: number): void {
    const source = this.source(gatewayId);
    source.awaited = { from, upTo };
    source.received.startAt(from);
    this.completeSnapshot(gatewayId, source);
  }

  gone(gatewayId: string, forGood: boolean): void {
    if (forGood) this.remember(gatewayId);
    this.sources.delete(gatewayId);
    for (const transition of this.deps.table.removeOf(gatewayId)) this.deps.onTransition(transition);
    this.deps.onSynced();
  }

  caughtUp(): void {
    this.isCaughtUp = true;
  }

  private put(news: PresencePut): Transition | undefined {
    const { gatewayId, sequence, connection, room, actorTokenId, joinedAt, rank, kind } = news;
    // A copy, because the bytes may be a view of a much larger buffer.
    const presence = new Uint8Array(news.presence);
    const known = { gatewayId, sequence, connection, room, actorTokenId, presence, joinedAt, rank };
    const transition = this.deps.table.put(known);
    if (this.isCaughtUp || transition?.event !== 'join' || kind === 'enter') return transition;
    return kind === 'again' ? undefined : { ...transition, event: 'update' };
  }

  /**
   * Each of its records is true where it stands among the changes of the room, also where the rest of the account never comes. One
   * that comes twice does not stand there any more.
   */
  private takeAccount(source: Source, news: PresenceAccount): void {
    const { gatewayId, room, from: sequence } = news;
    const received = this.receivedOf(source, news.account);
    if (!received?.parts.add(news.part)) return;
    for (const presence of accountedPresences(news)) {
      const transition = this.put({ kind: 'again', gatewayId, sequence, room, ...presence });
      if (transition !== undefined) this.deps.onTransition(transition);
    }
    this.holdAsk(source);
    this.completeAccount(source, received);
  }

  /** Undefined for an account in place of which another one has come. */
  private receivedOf(source: Source, number: number): ReceivedAccount | undefined {
    if (source.account === undefined || source.account.number < number)
      source.account = { number, parts: new ReceivedSequences(), sent: undefined };
    return source.account.number === number ? source.account : undefined;
  }

  private completeAccount(source: Source, { parts, sent }: ReceivedAccount): void {
    if (sent === undefined || !parts.hasAllUpTo(sent.parts)) return;
    source.received.startAt(sent.from);
    this.replaced(source, sent.gatewayId, sent.from);
  }

  private completeSnapshot(gatewayId: string, source: Source): void {
    const { awaited } = source;
    if (awaited === undefined || !source.received.hasAllUpTo(awaited.upTo)) return;
    source.awaited = undefined;
    this.replaced(source, gatewayId, awaited.from);
  }

  /** What the gateway said before this number, and not since, is void. */
  private replaced(source: Source, gatewayId: string, from: number): void {
    source.isSynced = true;
    const replaced = this.deps.table.removeOf(gatewayId, from);
    for (const transition of replaced) this.deps.onTransition(transition);
    this.deps.onSynced();
  }

  private get now(): number {
    return this.deps.clock.monotonic();
  }

  private ask(gatewayId: string, source: Source): void {
    this.deps.requestState(gatewayId);
    source.asks += 1;
    source.askAt = this.now + this.waitMs(source.asks);
  }

  /** An answer is coming. */
  private holdAsk(source: Source): void {
    source.askAt = Math.max(source.askAt, this.now + this.deps.beatMs);
  }

  private waitMs(asks: number): number {
    const { beatMs, random } = this.deps;
    return withJitter(backOffMs({ firstMs: beatMs, longestMs: longestAskMs }, asks), chanceOf(random));
  }

  private source(gatewayId: string): Source {
    const known = this.sources.get(gatewayId);
    if (known !== undefined) return known;
    const source: Source = {
      received: new ReceivedSequences(),
      isSynced: false,
      awaited: undefined,
      account: undefined,
      asks: 0,
      // The hello of one of the two has asked already.
      askAt: this.now + this.waitMs(1),
      due: 0,
    };
    this.sources.set(gatewayId, source);
    this.deps.onFound(gatewayId);
    return source;
  }

  private remember(gatewayId: string): void {
    this.departed.add(gatewayId);
    if (this.departed.size > maxDeparted) this.departed.delete(this.departed.values().next().value as string);
  }
}

/**
 * Which of the numbered records of a gateway have been received. They arrive in any order, because rooms are on different
 * partitions. Stores the number up to which there is no gap, and the numbers beyond it.
 */
export class ReceivedSequences {
  private complete: number;
  private readonly beyond = new Set<number>();

  /** Treats all records up to this number as received. */
  constructor(complete = 0) {
    this.complete = complete;
  }

  /** Returns false for a duplicate or an obsolete number. */
  add(sequence: number): boolean {
    if (sequence <= this.complete || this.beyond.has(sequence)) return false;
    this.beyond.add(sequence);
    this.close();
    return true;
  }

  /** Records before this number become obsolete, received or not. */
  startAt(sequence: number): void {
    if (sequence <= this.complete) return;
    this.complete = sequence - 1;
    for (const one of this.beyond) if (one < sequence) this.beyond.delete(one);
    this.close();
  }

  hasAllUpTo(sequence: number): boolean {
    return this.complete >= sequence;
  }

  private close(): void {
    while (this.beyond.delete(this.complete + 1)) this.complete++;
  }
}
