/** What a consumer can be asked about how far it is. */
export interface Progress {
  /** Where reading goes on, of the partitions that are being read. */
  positions(): Promise<ReadonlyMap<number, number>>;
  endOffsets(): Promise<readonly number[]>;
}

export interface Verdicts {
  /** It has not had an answer for a while. */
  doubted(): void;
  /** It will not come back by itself. */
  givenUp(why: string): void;
}

const lookEveryMs = 1_000;
/** In looks, not in time: a process that was stopped for a while finds the consumer as alive as it left it. */
const silentLooksUntilDoubted = 5;
const silentLooksUntilGivenUp = 30;
const looksBetweenProgressChecks = 15;

/**
 * Looks after a consumer that may fall silent, or go on fetching and hand over nothing, without an error in both
 * cases.
 */
export class ConsumerWatch {
  private readonly progress: Progress;
  private readonly verdicts: Verdicts;
  private readonly timer: NodeJS.Timeout;
  private looks = 0;
  private silentLooks = 0;
  /** Partitions with something to read at the last check, and where they stood. */
  private behind: ReadonlyMap<number, number> = new Map();

  constructor(progress: Progress, verdicts: Verdicts) {
    this.progress = progress;
    this.verdicts = verdicts;
    this.timer = setInterval(() => this.look(), lookEveryMs);
  }

  answered(): void {
    this.silentLooks = 0;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    this.looks += 1;
    this.silentLooks += 1;
    if (this.silentLooks >= silentLooksUntilGivenUp) this.verdicts.givenUp('It fell silent');
    else if (this.silentLooks % silentLooksUntilDoubted === 0) this.verdicts.doubted();
    if (this.looks % looksBetweenProgressChecks > 0) return;
    // While the brokers cannot be asked, silence tells enough.
    this.checkProgress().catch(() => undefined);
  }

  /** Of two checks a while apart, the second finds what has not moved though it was behind at the first. */
  async checkProgress(): Promise<void> {
    const ends = await this.progress.endOffsets();
    const positions = [...(await this.progress.positions())];
    const behind = positions.filter(([partition, at]) => (ends[partition] ?? 0) > at);
    const standsStill = behind.some(([partition, at]) => this.behind.get(partition) === at);
    this.behind = new Map(behind);
    if (standsStill) this.verdicts.givenUp('It hands over nothing though there is something to read');
  }
}
