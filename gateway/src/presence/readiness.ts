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
