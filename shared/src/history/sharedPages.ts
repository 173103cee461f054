import type { KeptMessage } from '../ports/history.js';

type Page = readonly KeptMessage[];

/** Pages that are read once, whenever the first reader comes to them, for all who read them. */
export class SharedPages {
  private readonly source: AsyncIterator<Page>;
  /** Undefined behind the last one. */
  private readonly pages: Promise<Page | undefined>[] = [];

  constructor(source: AsyncIterable<Page>) {
    this.source = source[Symbol.asyncIterator]();
  }

  async *all(): AsyncGenerator<Page> {
    for (let n = 0; ; n += 1) {
      const page = await (this.pages[n] ??= this.next());
      if (page === undefined) return;
      yield page;
    }
  }

  private async next(): Promise<Page | undefined> {
    const result = await this.source.next();
    return result.done === true ? undefined : result.value;
  }
}
