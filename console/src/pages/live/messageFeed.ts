import type { Message } from '@roomwire/sdk';

/** A message that is shown. */
export interface ShownMessage {
  readonly kind: 'message';
  readonly key: number;
  /** When the page got it, Unix milliseconds. */
  readonly receivedAt: number;
  readonly message: Message;
  /** Messages that came between the one before and this one, and are not shown. */
  readonly skipped: number;
}

/** Something that matters between two messages: the connection was lost, messages are missing. */
export interface Note {
  readonly kind: 'note';
  readonly key: number;
  readonly receivedAt: number;
  readonly text: string;
}

export type FeedRow = ShownMessage | Note;

export interface FeedView {
  /** The newest first. */
  readonly rows: readonly FeedRow[];
  /** All messages that came, shown or not. */
  readonly total: number;
  /** Messages that came in the last second, and those of them that are shown. */
  readonly perSecond: number;
  readonly shownPerSecond: number;
}

export interface FeedOptions {
  /** Milliseconds, of a clock that only goes forward. */
  readonly monotonic: () => number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly mostRows: number;
  /** Above this rate messages are sampled; so many may come at once before that. */
  readonly mostPerSecond: number;
  readonly burst: number;
}

const usualFeed: FeedOptions = {
  monotonic: () => performance.now(),
  now: () => Date.now(),
  mostRows: 500,
  mostPerSecond: 20,
  burst: 100,
};

/** The last second is looked at in so many parts. */
const parts = 4;
const partMs = 1_000 / parts;

interface Part {
  readonly at: number;
  came: number;
  shown: number;
}

/**
 * The messages of a topic as they come. It counts each of them, and keeps the newest that are shown: all of them while they are few, and a
 * sample, spread over time, once nobody could read them anyway.
 */
export class MessageFeed {
  private readonly options: FeedOptions;
  private fresh: FeedRow[] = [];
  private rows: readonly FeedRow[] = [];
  private total = 0;
  private skipped = 0;
  private key = 0;
  private tokens: number;
  private filledAt: number;
  private recent: Part[] = [];

  constructor(options: FeedOptions = usualFeed) {
    this.options = options;
    this.tokens = options.burst;
    this.filledAt = options.monotonic();
  }

  add(message: Message): void {
    const part = this.part();
    this.total += 1;
    part.came += 1;
    if (!this.takeToken()) {
      this.skipped += 1;
      return;
    }
    part.shown += 1;
    const { skipped } = this;
    this.skipped = 0;
    this.push({ kind: 'message', key: this.nextKey(), receivedAt: this.options.now(), message, skipped });
  }

  note(text: string): void {
    this.push({ kind: 'note', key: this.nextKey(), receivedAt: this.options.now(), text });
  }

  /** The rows go; the count goes on. */
  clear(): void {
    this.fresh = [];
    this.rows = [];
    this.skipped = 0;
  }

  /** As of now. */
  view(): FeedView {
    if (this.fresh.length > 0) {
      this.rows = [...this.fresh.reverse(), ...this.rows].slice(0, this.options.mostRows);
      this.fresh = [];
    }
    const since = this.options.monotonic() - 1_000;
    this.recent = this.recent.filter(({ at }) => at > since);
    const sum = (count: (part: Part) => number): number =>
      this.recent.reduce((all, part) => all + count(part), 0);
    return {
      rows: this.rows,
      total: this.total,
      perSecond: sum(({ came }) => came),
      shownPerSecond: sum(({ shown }) => shown),
    };
  }

  private push(row: FeedRow): void {
    this.fresh.push(row);
    // Nobody looks while the page is in the background.
    if (this.fresh.length > 2 * this.options.mostRows) this.fresh = this.fresh.slice(-this.options.mostRows);
  }

  private takeToken(): boolean {
    const { monotonic, mostPerSecond, burst } = this.options;
    const now = monotonic();
    this.tokens = Math.min(burst, this.tokens + ((now - this.filledAt) * mostPerSecond) / 1_000);
    this.filledAt = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  private part(): Part {
    const now = this.options.monotonic();
    const last = this.recent.at(-1);
    if (last !== undefined && now - last.at < partMs) return last;
    const part = { at: now, came: 0, shown: 0 };
    this.recent.push(part);
    // Beside the part of now, those of the last second.
    if (this.recent.length > parts + 1) this.recent.shift();
    return part;
  }

  private nextKey(): number {
    this.key += 1;
    return this.key;
  }
}
