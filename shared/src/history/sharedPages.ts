import type { KeptMessage } from '../ports/history.js';

type Page = readonly KeptMessage[];

/** Pages that are read once, whenever the first reader comes to them, for all who read them. */
export class SharedPages {
  /** Of the bodies that were read. */
  bytes = 0;
  private readonly source: AsyncIterator<Page>;
  /** Undefined behind the last one. */
  private readonly pages: Promise<Page | undefined>[] = [];
  private failed = false;

  constructor(source: AsyncIterable<Page>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** Whether they cannot be read to the end. */
  get hasFailed(): boolean {
    return this.failed;
  }

  async *all(): AsyncGenerator<Page> {
    for (let n = 0; ; n += 1) {
      const page = await (this.pages[n] ??= this.next());
      if (page === undefined) return;
      yield page;
    }
  }

  private async next(): Promise<Page | undefined> {
    try {
      const result = await this.source.next();
      if (result.done === true) return undefined;
      for (const { message } of result.value) this.bytes += message.body.length;
      return result.value;
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }
}
