/** Waits until every process that may have members in a shard has said which jobs they have. */
export class Gathering {
  /** Resolves when it is over. */
  readonly done: Promise<void>;
  private readonly awaited: Set<string>;
  private readonly timer: NodeJS.Timeout | undefined;
  private end: () => void = () => undefined;

  /** It is over at once where nobody is waited for, and after the time in any case. */
  constructor(processes: Iterable<string>, longestMs: number) {
    this.awaited = new Set(processes);
    this.done = new Promise((resolve) => (this.end = resolve));
    if (this.isOver) this.end();
    else this.timer = setTimeout(() => this.finish(), longestMs).unref();
  }

  get isOver(): boolean {
    return this.awaited.size === 0;
  }

  heard(process: string): void {
    this.awaited.delete(process);
    if (this.isOver) this.finish();
  }

  private finish(): void {
    clearTimeout(this.timer);
    this.awaited.clear();
    this.end();
  }
}
