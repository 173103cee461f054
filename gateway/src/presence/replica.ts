import type { GatewayReport } from '@roomwire/shared/wire/bus/gatewayNews';
import type { PresenceNews, PresencePut } from '@roomwire/shared/wire/bus/presenceNews';
import type { PresenceTable, Transition } from './presenceTable.js';

export interface ReplicaDeps {
  readonly table: PresenceTable;
  /** Asks a gateway for a snapshot of its presences. */
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
  /** The records of a snapshot of which some are missing. */
  awaited: { readonly from: number; readonly upTo: number } | undefined;
  /** The number in its last heartbeat. All records up to it must arrive before the next one. */
  due: number;
}

const maxDeparted = 1_000;

/**
 * Keeps the table up to date with the records of all gateways, which each of them numbers. Where one is missing, or a gateway
 * is new, a snapshot is requested, which replaces everything that it sent before.
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
    if (this.departed.has(news.gatewayId)) return;
    const source = this.source(news.gatewayId);
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
    if (!source.isSynced || !source.received.hasAllUpTo(source.due)) this.deps.requestState(gatewayId);
    source.due = presenceSequence;
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

  private completeSnapshot(gatewayId: string, source: Source): void {
    const { awaited } = source;
    if (awaited === undefined || !source.received.hasAllUpTo(awaited.upTo)) return;
    source.awaited = undefined;
    source.isSynced = true;
    const replaced = this.deps.table.removeOf(gatewayId, awaited.from);
    for (const transition of replaced) this.deps.onTransition(transition);
    this.deps.onSynced();
  }

  private source(gatewayId: string): Source {
    const known = this.sources.get(gatewayId);
    if (known !== undefined) return known;
    const source = { received: new ReceivedSequences(), isSynced: false, awaited: undefined, due: 0 };
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
