import { presenceNews, type PresenceChange } from '@roomwire/shared/wire/bus/presenceNews';
import type { Logger } from '@roomwire/shared/ports/logger';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';

/** The presence of a connection of this gateway in a room. */
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

/** A connection in a room. */
export type Place = Pick<OwnPresence, 'connection' | 'room'>;

/** What the connections of this gateway have announced; each of them may be in several rooms. */
class OwnPresences {
  private readonly byConnection = new Map<number, Map<string, OwnPresence>>();

  at({ connection, room }: Place): OwnPresence | undefined {
    return this.byConnection.get(connection)?.get(room);
  }

  of(connection: number): readonly OwnPresence[] {
    return [...(this.byConnection.get(connection)?.values() ?? [])];
  }

  all(): readonly OwnPresence[] {
    return [...this.byConnection.values()].flatMap((rooms) => [...rooms.values()]);
  }

  set(presence: OwnPresence): void {
    const { connection, room } = presence;
    const rooms = this.byConnection.get(connection);
    if (rooms === undefined) this.byConnection.set(connection, new Map([[room, presence]]));
    else rooms.set(room, presence);
  }

  delete({ connection, room }: Place): void {
    const rooms = this.byConnection.get(connection);
    rooms?.delete(room);
    if (rooms?.size === 0) this.byConnection.delete(connection);
  }
}

type Unnumbered<T> = T extends unknown ? Omit<T, 'gatewayId' | 'sequence'> : never;

export interface AnnouncerDeps {
  readonly gatewayId: string;
  readonly bus: MessageBus;
  readonly logger: Logger;
  /** How long a stored record may take to come back. */
  readonly returnMs: number;
}

/** Publishes the presences of this gateway on the bus in numbered records. */
export class Announcer {
  /** A record could not be stored: the other gateways may have missed it, or not, until they have an account. */
  hasUnstored = false;
  private readonly deps: AnnouncerDeps;
  private readonly own = new OwnPresences();
  private readonly returns = new PendingReturns();
  private readonly inFlight = new Set<number>();
  private sequence = 0;

  constructor(deps: AnnouncerDeps) {
    this.deps = deps;
  }

  /** The number up to which every record was stored or has failed. */
  get settledSequence(): number {
    const [oldest] = this.inFlight;
    return oldest === undefined ? this.sequence : oldest - 1;
  }

  /** The number of the next record. */
  get nextSequence(): number {
    return this.sequence + 1;
  }

  /** The presences that accounts contain. */
  get presences(): OwnPresences {
    return this.own;
  }

  /** Resolves when the record has come back or the wait has timed out. Rejects when the bus has not stored it. */
  announce(presence: OwnPresence, kind: 'enter' | 'change'): Promise<void> {
    return this.storeAndWait({ kind, ...presence });
  }

  /** As `announce`. */
  withdraw({ connection, room, actorTokenId }: OwnPresence): Promise<void> {
    return this.storeAndWait({ kind: 'leave', connection, room, actorTokenId });
  }

  /** An own record has been read. */
  returned(sequence: number): void {
    this.returns.returned(sequence);
  }

  /** For gateways that may have missed it. Rejects when the bus has not stored it. */
  sayAgain(presence: OwnPresence): Promise<void> {
    return this.store({ kind: 'again', ...presence }, ++this.sequence);
  }

  private async storeAndWait(news: Unnumbered<PresenceChange>): Promise<void> {
    const sequence = ++this.sequence;
    this.returns.add(sequence);
    try {
      await this.store(news, sequence);
    } catch (error) {
      this.returns.returned(sequence);
      throw error;
    }
    await this.returns.wait(sequence, this.deps.returnMs);
  }

  private async store(news: Unnumbered<PresenceChange>, sequence: number): Promise<void> {
    const { gatewayId, bus, logger } = this.deps;
    this.inFlight.add(sequence);
    try {
      await bus.send(presenceNews, { ...news, gatewayId, sequence }, 'stored');
    } catch (error) {
      this.hasUnstored = true;
      logger.warn('A presence did not reach the bus', { room: news.room, error });
      throw error;
    } finally {
      this.inFlight.delete(sequence);
    }
  }
}

/** Own records that have been sent and not come back from the bus, by number. */
class PendingReturns {
  private readonly pending = new Map<
    number,
    { readonly promise: Promise<void>; readonly resolve: () => void }
  >();

  add(sequence: number): void {
    let resolve!: () => void;
    const promise = new Promise<void>((settle) => (resolve = settle));
    this.pending.set(sequence, { promise, resolve });
  }

  returned(sequence: number): void {
    this.pending.get(sequence)?.resolve();
    this.pending.delete(sequence);
  }

  /** Resolves when the record has come back, or after a timeout: a lost record is detected later. */
  async wait(sequence: number, timeoutMs: number): Promise<void> {
    const pending = this.pending.get(sequence);
    if (pending !== undefined)
      await withTimeout(timeoutMs, pending.promise, () => this.returned(sequence), { unref: true });
  }
}
