/** Limit of waiting bytes; beyond it the next frame waits too. */
const maxBytes = 1024 * 1024;

const done = Promise.resolve();

/** [WS-PUB-3] Publishes of one publisher that wait for a store, and those behind them, which keep their order. */
export class PublishLine {
  private last: Promise<void> | undefined;
  private bytes = 0;

  get isEmpty(): boolean {
    return this.last === undefined;
  }

  get isFull(): boolean {
    return this.bytes > maxBytes;
  }

  /**
   * Goes on with what the store has answered, or, where it may fail, with the error, after all earlier ones have gone on. Neither callback may
   * reject.
   */
  add<T>(
    bytes: number,
    answer: T | Promise<T>,
    goOn: (answer: T) => Promise<void> | undefined,
    failed?: (error: unknown) => Promise<void> | void,
  ): Promise<void> {
    this.bytes += bytes;
    const turn = (this.last ?? done)
      .then(() => answer)
      .then(goOn, failed)
      .then(() => {
        this.bytes -= bytes;
        if (this.last === turn) this.last = undefined;
      });
    this.last = turn;
    return turn;
  }
}
