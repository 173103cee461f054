/** An answer for all who ask at once: those that come while a question is under way share the next one. */
export class SharedAnswer<T> {
  private readonly ask: () => Promise<T>;
  private asking: Promise<T> | undefined;
  private next: Promise<T> | undefined;

  constructor(ask: () => Promise<T>) {
    this.ask = ask;
  }

  /** Whether nobody waits for it. */
  get isIdle(): boolean {
    return this.asking === undefined && this.next === undefined;
  }

  /** As of a moment after the call. */
  get(): Promise<T> {
    if (!this.asking) return this.begin();
    return (this.next ??= this.asking.then(
      () => this.begin(),
      () => this.begin(),
    ));
  }

  private begin(): Promise<T> {
    this.next = undefined;
    const asking = this.ask();
    this.asking = asking;
    const ended = (): void => {
      if (this.asking === asking) this.asking = undefined;
    };
    asking.then(ended, ended);
    return asking;
  }
}
