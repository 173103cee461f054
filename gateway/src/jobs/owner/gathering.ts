/** Waits until every process that may have members in a shard has said which jobs they have. */
export class Gathering {
  /** Resolves when jobs may be handed out. */
  readonly done: Promise<void>;
  /** Undefined before `begin`. */
  private awaited: Set<string> | undefined;
  private hasEnded = false;
  private timer: NodeJS.Timeout;
  private end: () => void = () => undefined;

  /** `longestMs`: jobs may be handed out then in any case. */
  constructor(longestMs: number) {
    this.done = new Promise((resolve) => (this.end = resolve));
    this.timer = this.finishAfter(longestMs);
  }

  /** These are waited for; jobs may be handed out when all of them are here, and after the time in any case. */
  begin(processes: Iterable<string>, longestMs: number): void {
    this.awaited = new Set(processes);
    clearTimeout(this.timer);
    this.timer = this.finishAfter(longestMs);
    if (this.isComplete) this.finish();
  }

  /** Jobs may be handed out, although a slow process may still be missing. */
  get isOver(): boolean {
    return this.hasEnded;
  }

  /** Nobody is missing: each process is here, or has died. */
  get isComplete(): boolean {
    return this.awaited?.size === 0;
  }

  heard(process: string): void {
    this.awaited?.delete(process);
    if (this.isComplete) this.finish();
  }

  /** Only these live: the others are waited for no longer. */
  keep(living: ReadonlySet<string>): void {
    for (const process of this.awaited ?? []) if (!living.has(process)) this.heard(process);
  }

  private finishAfter(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.finish(), milliseconds).unref();
  }

  private finish(): void {
    clearTimeout(this.timer);
    this.hasEnded = true;
    this.end();
  }
}
