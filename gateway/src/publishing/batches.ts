interface Waiting<Item, Outcome> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Items of one call: enough to share its way to the disk, few enough to leave the event loop to others. */
const mostAtOnce = 500;

/** Outcomes in the order of the items, where there are any. */
type Write<Item, Outcome> = (items: readonly Item[]) => Promise<readonly Outcome[] | void>;

/** Gives what comes in the same turn, and what has to wait for a call, to a store in one call. */
export class Batches<Item, Outcome = void> {
  private readonly write: Write<Item, Outcome>;
  private readonly callsAtOnce: number;
  private waiting: Waiting<Item, Outcome>[] = [];
  private isDue = false;
  private calls = 0;

  constructor(write: Write<Item, Outcome>, callsAtOnce: number) {
    this.write = write;
    this.callsAtOnce = callsAtOnce;
  }

  /** Rejects with the error of the call. */
  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.callSoon();
    });
  }

  private callSoon(): void {
    if (this.isDue || this.waiting.length === 0 || this.calls >= this.callsAtOnce) return;
    this.isDue = true;
    // With those that come in the same turn.
    queueMicrotask(() => {
      this.isDue = false;
      void this.call(this.waiting.splice(0, mostAtOnce));
      this.callSoon();
    });
  }

  private async call(batch: readonly Waiting<Item, Outcome>[]): Promise<void> {
    this.calls += 1;
    try {
      const outcomes = await this.write(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes?.[index] as Outcome);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.calls -= 1;
    this.callSoon();
  }
}
