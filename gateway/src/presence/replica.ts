import type { GatewayReport } from '@roomwire/shared/wire/bus/gatewayNews';
import type { PresenceNews, PresencePut } from '@roomwire/shared/wire/bus/presenceNews';
import type { PresenceTable, Transition } from './presenceTable.js';

export interface ReplicaDeps {
  readonly table: PresenceTable;
  /** Asks a gateway to say anew what it stands for. */
  readonly ask: (gatewayId: string) => void;
  /** There is something to lose of this gateway. */
  readonly noticed: (gatewayId: string) => void;
  readonly onTransition: (transition: Transition) => void;
  /** All that a gateway stands for is known, or the gateway is gone. */
  readonly onSynced: () => void;
}

/** How much of what a gateway said has reached us. */
interface Source {
  received: ReceivedSequences;
  isSynced: boolean;
  /** A full account that is not here in full. */
  awaited: { readonly from: number; readonly upTo: number } | undefined;
  /** The number in its last beat. By the next beat all records up to it must have come. */
  due: number;
}

const maxDeparted = 1_000;

/**
 * Holds the table to what the gateways say. Every gateway numbers its records: where one is missing, or nothing is
 * known of a gateway, it is asked for a full account, which makes void whatever it said before.
 */
export class Replica {
  /** Until the gateway knows of the others, what it learns of the past is no event. */
  isLearning = true;
  private readonly deps: ReplicaDeps;
  private readonly sources = new Map<string, Source>();
  /** Closed for good: their last records may still come. Oldest first. */
  private readonly departed = new Set<string>();

  constructor(deps: ReplicaDeps) {
    this.deps = deps;
  }

  get isSynced(): boolean {
    return [...this.sources.values()].every(({ isSynced }) => isSynced);
  }

  take(news: PresenceNews): void {
    if (this.departed.has(news.gatewayId)) return;
    const source = this.sources.get(news.gatewayId) ?? this.notice(news.gatewayId);
    if (!source.received.add(news.sequence)) return;
    const transition = news.kind === 'leave' ? this.deps.table.remove(news) : this.put(news);
    if (transition !== undefined) this.deps.onTransition(transition);
    this.lookForEnd(news.gatewayId, source);
  }

  /** Its numbers begin at 1. Rooms are on other partitions than the hello, so that some may have come before it. */
  hello(gatewayId: string): void {
    if (this.departed.has(gatewayId)) return;
    (this.sources.get(gatewayId) ?? this.notice(gatewayId)).isSynced = true;
  }

  beat(gatewayId: string, { presenceSequence }: GatewayReport): void {
    const source = this.sources.get(gatewayId) ?? this.notice(gatewayId);
    if (!source.isSynced || !source.received.hasAllUpTo(source.due)) this.deps.ask(gatewayId);
    source.due = presenceSequence;
  }

  state(gatewayId: string, from: number, upTo: number): void {
    const source = this.sources.get(gatewayId) ?? this.notice(gatewayId);
    source.awaited = { from, upTo };
    source.received.startAt(from);
    this.lookForEnd(gatewayId, source);
  }

  gone(gatewayId: string, forGood: boolean): void {
    if (forGood) this.remember(gatewayId);
    this.sources.delete(gatewayId);
    for (const transition of this.deps.table.removeOf(gatewayId)) this.deps.onTransition(transition);
    this.deps.onSynced();
  }

  private put(news: PresencePut): Transition | undefined {
    const { gatewayId, sequence, connection, room, actorTokenId, joinedAt, rank, kind } = news;
    // A copy: what the bus hands over may be a part of something much larger.
    const presence = new Uint8Array(news.presence);
    const known = { gatewayId, sequence, connection, room, actorTokenId, presence, joinedAt, rank };
    const transition = this.deps.table.put(known);
    if (!this.isLearning || transition?.event !== 'join' || kind === 'enter') return transition;
    return kind === 'again' ? undefined : { ...transition, event: 'update' };
  }

  private lookForEnd(gatewayId: string, source: Source): void {
    const { awaited } = source;
    if (awaited === undefined || !source.received.hasAllUpTo(awaited.upTo)) return;
    source.awaited = undefined;
    source.isSynced = true;
    const voided = this.deps.table.removeOf(gatewayId, awaited.from);
    for (const transition of voided) this.deps.onTransition(transition);
    this.deps.onSynced();
  }

  private notice(gatewayId: string): Source {
    const source = newSource();
    this.sources.set(gatewayId, source);
    this.deps.noticed(gatewayId);
    return source;
  }

  private remember(gatewayId: string): void {
    this.departed.add(gatewayId);
    if (this.departed.size > maxDeparted) this.departed.delete(this.departed.values().next().value as string);
  }
}

const newSource = (): Source => ({
  received: new ReceivedSequences(),
  isSynced: false,
  awaited: undefined,
  due: 0,
});

/**
 * Which of a gateway's numbered records have come. They come in any order, because rooms are on different partitions;
 * what is kept is the number up to which there is no gap, and what came beyond it.
 */
export class ReceivedSequences {
  private complete: number;
  private readonly beyond = new Set<number>();

  /** As if everything up to here had come. */
  constructor(complete = 0) {
    this.complete = complete;
  }

  /** False for a number that has come before, or no longer counts. */
  add(sequence: number): boolean {
    if (sequence <= this.complete || this.beyond.has(sequence)) return false;
    this.beyond.add(sequence);
    this.close();
    return true;
  }

  /** What is before this number no longer counts, whether it has come or not. */
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
