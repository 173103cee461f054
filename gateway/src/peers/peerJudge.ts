export interface PeerJudgeOptions {
  /** A peer that has been silent for this long is dead. */
  readonly silenceMs: number;
  /** For this long after a beat of our own has come back, our reading is believed to be sound. */
  readonly soundMs: number;
}

/**
 * Which of the other gateways have died. Silence proves something only while we could have heard: it is counted in
 * sound time, which passes while our own beats come back from the bus, and stands still while the bus, or we, do.
 * Times come from a monotonic clock.
 */
export class PeerJudge {
  private readonly options: PeerJudgeOptions;
  /** Sound time at which each was heard last. */
  private readonly heardAt = new Map<string, number>();
  private soundUntilReturn = 0;
  private lastReturn: number | undefined;

  constructor(options: PeerJudgeOptions) {
    this.options = options;
  }

  ownBeatReturned(now: number): void {
    this.soundUntilReturn = this.soundTime(now);
    this.lastReturn = now;
  }

  heard(peer: string, now: number): void {
    this.heardAt.set(peer, this.soundTime(now));
  }

  knows(peer: string): boolean {
    return this.heardAt.has(peer);
  }

  forget(peer: string): void {
    this.heardAt.delete(peer);
  }

  /** Those that are to be taken for dead. They stay known until they are forgotten. */
  dead(now: number): readonly string[] {
    const soundNow = this.soundTime(now);
    return [...this.heardAt]
      .filter(([, heardAt]) => soundNow - heardAt >= this.options.silenceMs)
      .map(([peer]) => peer);
  }

  private soundTime(now: number): number {
    const sinceReturn = this.lastReturn === undefined ? 0 : now - this.lastReturn;
    return this.soundUntilReturn + Math.min(sinceReturn, this.options.soundMs);
  }
}
