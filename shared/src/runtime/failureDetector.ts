export interface FailureDetectorOptions {
  /** A peer that has been silent for this long is dead. */
  readonly silenceMs: number;
  /** For this long after an own heartbeat has come back, this process is considered to read. */
  readonly readingMs: number;
}

/**
 * Which of the other processes have failed. Silence proves that only while this one reads: it is measured in reading time,
 * which passes while own heartbeats come back from the bus and stops while the bus or this process does. Times come from a
 * monotonic clock.
 */
export class FailureDetector {
  /** Replaced and never changed. */
  peers: readonly string[] = [];
  private readonly options: FailureDetectorOptions;
  /** Reading time at which each was heard last. */
  private readonly heardAt = new Map<string, number>();
  private readingUntilReturn = 0;
  private lastReturn: number | undefined;

  constructor(options: FailureDetectorOptions) {
    this.options = options;
  }

  ownHeartbeatReturned(now: number): void {
    this.readingUntilReturn = this.readingTime(now);
    this.lastReturn = now;
  }

  heard(peer: string, now: number): void {
    if (!this.heardAt.has(peer)) this.peers = [...this.peers, peer];
    this.heardAt.set(peer, this.readingTime(now));
  }

  knows(peer: string): boolean {
    return this.heardAt.has(peer);
  }

  forget(peer: string): void {
    if (this.heardAt.delete(peer)) this.peers = [...this.heardAt.keys()];
  }

  /** For how long the peer has been silent, in reading time; infinitely where it is not known. */
  silentFor(peer: string, now: number): number {
    const heardAt = this.heardAt.get(peer);
    return heardAt === undefined ? Number.POSITIVE_INFINITY : this.readingTime(now) - heardAt;
  }

  /** The peers that have failed. They stay known until they are forgotten. */
  failed(now: number): readonly string[] {
    const readingNow = this.readingTime(now);
    return [...this.heardAt]
      .filter(([, heardAt]) => readingNow - heardAt >= this.options.silenceMs)
      .map(([peer]) => peer);
  }

  /** For how long this process has been reading, in all. */
  readingTime(now: number): number {
    const sinceReturn = this.lastReturn === undefined ? 0 : now - this.lastReturn;
    return this.readingUntilReturn + Math.min(sinceReturn, this.options.readingMs);
  }
}
