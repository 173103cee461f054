import { RoomwireError } from '../errors.js';
import type { Feature, HistoryFrame, KeptMessage } from '../protocol/frames.js';
import type { Requests } from '../requests.js';
import type { GapHandler, Message } from '../subscriptions/message.js';

export interface HistoryOptions {
  /** A position: the messages before it, newest first. Begins with the newest message by default. */
  readonly before?: string;
  /** A position, or an empty string for the beginning: the messages after it, oldest first. Instead of `before`. */
  readonly after?: string;
  /** How many messages at most; all of them by default. */
  readonly limit?: number;
  /** Called before the first message if messages after `after` are missing, or if the position is unknown. */
  readonly onGap?: GapHandler;
}

export interface HistoriesContext {
  isOnline(): boolean;
  has(feature: Feature): boolean;
}

/** Most messages that the server takes a question for. */
const mostOfPage = 1_000;
/** Nobody knows when the loop is left. */
const usualPage = 100;

/** Reads the history of topics, page by page. */
export class Histories {
  private readonly requests: Requests;
  private readonly context: HistoriesContext;
  private count = 0;

  constructor(requests: Requests, context: HistoriesContext) {
    this.requests = requests;
    this.context = context;
  }

  async *read(topic: string, options: HistoryOptions): AsyncGenerator<Message, void, undefined> {
    const { limit = Infinity, onGap, ...start } = options;
    let point: Pick<HistoryOptions, 'before' | 'after'> = start;
    for (let left = limit; left > 0;) {
      const size = limit === Infinity ? usualPage : Math.min(left, mostOfPage);
      const { messages, next, gap } = await this.ask(topic, point, size);
      if (gap !== undefined) onGap?.({ topic, ...gap });
      for (const kept of messages) yield messageOf(topic, kept);
      if (next === undefined) return;
      left -= messages.length;
      point = point.after === undefined ? { before: next } : { after: next };
    }
  }

  private async ask(
    topic: string,
    { before, after }: Pick<HistoryOptions, 'before' | 'after'>,
    limit: number,
  ): Promise<HistoryFrame> {
    if (this.context.isOnline() && !this.context.has('history'))
      throw new RoomwireError('unsupported_feature', { topic });
    // No name of a topic, a room or a lobby, by which other requests are told apart.
    const ref = `history ${++this.count}`;
    const question = { type: 'history', topic, before, after, limit, ref } as const;
    return (await this.requests.question(question, ref, 'history')) as HistoryFrame;
  }
}

const messageOf = (topic: string, { data, filter, meta }: KeptMessage): Message => ({
  ...{ topic, data, filter, meta },
  msgId: undefined,
  isReplay: true,
});
