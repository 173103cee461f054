/** What may wait on one connection before its next frame has to wait as well. */
const maxBytes = 1024 * 1024;

const done = Promise.resolve();

/** [WS-PUB-3] The publishes of one connection that wait until they are on record, and all those behind them. */
export class RecordingLine {
  private last: Promise<void> | undefined;
  private bytes = 0;

  get isEmpty(): boolean {
    return this.last === undefined;
  }

  get isFull(): boolean {
    return this.bytes > maxBytes;
  }

  /** Sends once it is recorded, and everything before it was sent or has failed. Neither `send` nor `failed` may reject. */
  add(
    bytes: number,
    recorded: Promise<void> | undefined,
    send: () => Promise<void> | undefined,
    failed: (error: unknown) => void,
  ): Promise<void> {
    this.bytes += bytes;
    const turn = (this.last ?? done)
      .then(() => recorded)
      .then(send, failed)
      .then(() => {
        this.bytes -= bytes;
        if (this.last === turn) this.last = undefined;
      });
    this.last = turn;
    return turn;
  }
}
