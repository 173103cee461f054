import type { StoredPlace } from './historyReads.js';

/** One publish of a message: a frame of a connection, or a part of a request over HTTP. */
export interface Attempt {
  readonly message: Published;
  /** Negative for a request. */
  readonly connection: number;
  readonly sentAt: number;
  /** `duplicate`: accepted as what had been accepted before. */
  outcome: 'unanswered' | 'accepted' | 'duplicate' | 'refused';
  error: string | undefined;
  answeredAt: number;
  /** Nobody waits for its answer any more. */
  isOver: boolean;
}

/** A record of the bus. */
export interface Copy extends StoredPlace {
  /** Among all records of messages, from 1. */
  readonly place: number;
  readonly at: number;
  readonly messageId: string;
}

export interface Publication {
  readonly room: string;
  /** The address. */
  readonly topic: string;
  readonly qos: number;
  readonly filter: string | undefined;
  readonly isRetained: boolean;
  /** What its publisher names it; undefined where it is published once at most. */
  readonly givenId: string | undefined;
  /** When it is to be delivered, in virtual milliseconds; undefined for at once. */
  readonly deliverAt?: number | undefined;
}

/** After these it is worth trying again. */
const passing: ReadonlySet<string | undefined> = new Set(['broker_unavailable', 'rate_limit_exceeded']);

/** What is to be delivered once, and everything that was done about it. Its data is its number. */
export class Published {
  readonly id: number;
  /** The `actorTokenId` of the publisher; empty for the backend. */
  readonly actor: string;
  readonly room: string;
  readonly topic: string;
  readonly qos: number;
  readonly filter: string | undefined;
  readonly isRetained: boolean;
  readonly givenId: string | undefined;
  readonly deliverAt: number | undefined;
  /** What its accepted publishes were answered with. */
  readonly scheduledIds = new Set<string>();
  /** At least one once it is in the history, in the order in which they were sent. */
  readonly attempts: Attempt[] = [];
  /** In the order in which they were stored. */
  readonly copies: Copy[] = [];
  /** Its records as the last value of its topic, which are stored before. */
  readonly lastValues: Pick<Copy, 'at' | 'messageId'>[] = [];

  constructor(id: number, actor: string, publication: Publication) {
    const { room, topic, qos, filter, isRetained, givenId, deliverAt } = publication;
    this.id = id;
    this.actor = actor;
    this.room = room;
    this.topic = topic;
    this.qos = qos;
    this.filter = filter;
    this.isRetained = isRetained;
    this.givenId = givenId;
    this.deliverAt = deliverAt;
  }

  /** Of one that is delivered later, when it is. */
  get sentAt(): number {
    if (this.isLater) return this.records[0]?.at ?? Infinity;
    return this.attempts[0]?.sentAt ?? Infinity;
  }

  get isLater(): boolean {
    return this.deliverAt !== undefined;
  }

  /** Of its first copy; undefined where it is not on the bus. */
  get storedAs(): number | undefined {
    return this.copies[0]?.place;
  }

  /** Everything of it that is on the bus. */
  get records(): readonly Pick<Copy, 'at' | 'messageId'>[] {
    return [...this.copies, ...this.lastValues];
  }

  get isAccepted(): boolean {
    return this.attempts.some(({ outcome }) => outcome === 'accepted' || outcome === 'duplicate');
  }

  /** [WS-PUB-10] [WS-ONCE-3] Whether what was accepted is on the bus. */
  get waitsForBus(): boolean {
    return this.qos > 0 || this.givenId !== undefined;
  }

  /** [WS-PUB-10] [WS-ONCE-4] */
  get isDeduplicated(): boolean {
    return this.qos === 2 || this.givenId !== undefined;
  }

  /** Its publisher knows what has become of it. */
  get isSettled(): boolean {
    return (
      this.isAccepted ||
      this.attempts.some(({ outcome, error }) => outcome === 'refused' && !passing.has(error))
    );
  }

  /** Somebody still waits for an answer. */
  get isAwaited(): boolean {
    return this.attempts.some(({ outcome, isOver }) => outcome === 'unanswered' && !isOver);
  }

  /** Whether the connection, or request, is the only one that has published it. */
  isOnlyOf(connection: number): boolean {
    return this.attempts.every((attempt) => attempt.connection === connection);
  }
}
