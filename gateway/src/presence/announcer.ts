import { presenceNews, type PresenceNews } from '@roomwire/shared/wire/bus/presenceNews';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';

/** What this gateway stands for: that one of its connections is present in a room. */
export interface OwnPresence {
  readonly connection: number;
  /** Internal. */
  readonly room: string;
  readonly actorTokenId: string;
  /** A MessagePack map. */
  readonly presence: Uint8Array;
  /** Unix seconds. */
  readonly joinedAt: number;
  readonly rank: number;
}

type Unnumbered<T> = T extends unknown ? Omit<T, 'gatewayId' | 'sequence'> : never;

export interface AnnouncerDeps {
  readonly gatewayId: string;
  readonly bus: MessageBus;
  readonly logger: Logger;
  /** How long a stored record may take to come back. */
  readonly returnMs: number;
  /** Tells all gateways that the records of these numbers were a full account. */
  readonly tellState: (from: number, upTo: number) => Promise<boolean>;
}

/** Records of a full account that are under way at once. */
const accountBatch = 200;

/**
 * Says on the bus what this gateway stands for. Each record is numbered. When one could not be stored, nobody knows
 * what the others believe: then everything is said again, as soon as the bus is back.
 */
export class Announcer {
  private readonly deps: AnnouncerDeps;
  private readonly own = new Map<number, OwnPresence>();
  private readonly returns: Returns;
  private readonly underWay = new Set<number>();
  private sequence = 0;
  private isInDoubt = false;
  private account: Promise<void> | undefined;
  private isAskedAgain = false;

  constructor(deps: AnnouncerDeps) {
    this.deps = deps;
    this.returns = new Returns(deps.returnMs);
  }

  /** The last number up to which the sending of every record has ended, well or not. */
  get settledSequence(): number {
    const [oldest] = this.underWay;
    return oldest === undefined ? this.sequence : oldest - 1;
  }

  presenceOf(connection: number): OwnPresence | undefined {
    return this.own.get(connection);
  }

  /** What is true from now on, for everybody who asks. */
  standFor(connection: number, presence: OwnPresence | undefined): void {
    if (presence === undefined) this.own.delete(connection);
    else this.own.set(connection, presence);
  }

  /** Resolves when the record has come back, or should have. Rejects when the bus has not stored it. */
  announce(presence: OwnPresence, kind: 'enter' | 'change'): Promise<void> {
    return this.storeAndSee({ kind, ...presence });
  }

  /** As `announce`. */
  withdraw({ connection, room, actorTokenId }: OwnPresence): Promise<void> {
    return this.storeAndSee({ kind: 'leave', connection, room, actorTokenId });
  }

  /** A record of ours has been read. */
  cameBack(sequence: number): void {
    this.returns.came(sequence);
  }

  /** The bus works: what it did not take before can be said now. */
  onOwnBeat(): void {
    if (this.isInDoubt) this.giveAccount();
  }

  /** Says everything again. Calls while it does so are one more account after it. */
  giveAccount(): void {
    if (this.account !== undefined) {
      this.isAskedAgain = true;
      return;
    }
    this.account = this.sayEverything().finally(() => {
      this.account = undefined;
      if (!this.isAskedAgain) return;
      this.isAskedAgain = false;
      this.giveAccount();
    });
  }

  private async sayEverything(): Promise<void> {
    this.isInDoubt = false;
    const from = this.sequence + 1;
    const connections = [...this.own.keys()];
    for (let at = 0; at < connections.length; at += accountBatch) {
      await Promise.allSettled(
        connections.slice(at, at + accountBatch).map((connection) => this.sayAgain(connection)),
      );
    }
    const upTo = this.sequence;
    if (this.isInDoubt || !(await this.deps.tellState(from, upTo))) this.isInDoubt = true;
  }

  /** What is true by now: it may have ended since the account began. */
  private async sayAgain(connection: number): Promise<void> {
    const presence = this.own.get(connection);
    if (presence !== undefined) await this.store({ kind: 'again', ...presence }, ++this.sequence);
  }

  private async storeAndSee(news: Unnumbered<PresenceNews>): Promise<void> {
    const sequence = ++this.sequence;
    this.returns.expect(sequence);
    try {
      await this.store(news, sequence);
    } catch (error) {
      this.returns.came(sequence);
      throw error;
    }
    await this.returns.of(sequence);
  }

  private async store(news: Unnumbered<PresenceNews>, sequence: number): Promise<void> {
    const { gatewayId, bus, logger } = this.deps;
    this.underWay.add(sequence);
    try {
      await bus.send(presenceNews, { ...news, gatewayId, sequence }, 'stored');
    } catch (error) {
      this.isInDoubt = true;
      logger.warn('A presence did not reach the bus', { room: news.room, error });
      throw error;
    } finally {
      this.underWay.delete(sequence);
    }
  }
}

interface Return {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** Who waits for records of its own to come back from the bus, by their numbers. */
export class Returns {
  private readonly patienceMs: number;
  private readonly expected = new Map<number, Return>();

  /** A stored record comes back within this time, or is lost on its way back and found missing later. */
  constructor(patienceMs: number) {
    this.patienceMs = patienceMs;
  }

  expect(sequence: number): void {
    let resolve!: () => void;
    const promise = new Promise<void>((settle) => (resolve = settle));
    this.expected.set(sequence, { promise, resolve });
  }

  came(sequence: number): void {
    this.expected.get(sequence)?.resolve();
    this.expected.delete(sequence);
  }

  /** Resolves when the record has come back, at once where it has already, and at the latest after a while. */
  async of(sequence: number): Promise<void> {
    const waiting = this.expected.get(sequence);
    if (waiting === undefined) return;
    const timer = setTimeout(() => this.came(sequence), this.patienceMs).unref();
    await waiting.promise;
    clearTimeout(timer);
  }
}
