import { RoomwireError } from '../errors.js';
import { nothing } from '../primitives.js';
import type { Job } from './jobs.js';
import type { Message, MessageHandler, Subscription } from './message.js';
import type { Opened } from './subscriptions.js';
import type { SubscribeOptions, WorkerOptions } from './subscribeOptions.js';

export interface StreamOptions extends Omit<SubscribeOptions, 'concurrency'> {
  /** Messages that may wait for the loop; one more ends the stream with `buffer_overflow`. 1000 by default. */
  readonly bufferSize?: number;
}

export type WorkerStreamOptions = StreamOptions & Pick<WorkerOptions, 'jobs'>;

/**
 * A subscription as a `for await` loop. Leaving the loop unsubscribes. The loop ends after `unsubscribe()` and the
 * client's `close()`, and throws the error for which a subscription ends, after the messages that came before.
 * A recorded message counts as handled when it is in the buffer.
 */
export interface MessageStream<M extends Message = Message> extends Subscription, AsyncIterable<M> {}

type Handler = MessageHandler<Job>;
type Subscribe = (handler: Handler, options: SubscribeOptions) => Promise<Opened>;

/** Its messages have of a `Job` what the options ask for. */
export const openStream = async (
  subscribe: Subscribe,
  options: StreamOptions,
): Promise<MessageStream<Job>> => {
  const { bufferSize = 1000, ...rest } = options;
  // In the buffer no job is done.
  const how = rest.jobs ? { ...rest, ack: 'manual' as const } : rest;
  const buffer = new MessageBuffer(bufferSize);
  const opening = subscribe((message) => {
    if (buffer.push(message)) return;
    // Better a clear end than a silent gap.
    buffer.end(new RoomwireError('buffer_overflow', { topic: message.topic }));
    void opening.then((opened) => opened.unsubscribe(), nothing);
  }, how);
  const subscription = await opening;
  buffer.reached = subscription.start;
  const position = (): string | undefined => {
    // What the loop has not taken has arrived all the same: behind the subscription's position it would be missing.
    if (buffer.isUpToDate) buffer.reached = subscription.position;
    return buffer.reached;
  };
  void subscription.ended.then((error) => {
    position();
    buffer.end(error);
  });
  const stop = async (): Promise<IteratorResult<Job>> => {
    await subscription.unsubscribe();
    return { done: true, value: undefined };
  };
  const iterator = { next: () => buffer.next(), return: stop };
  const { topic, ended } = subscription;
  return {
    topic,
    ended,
    on: (event, listener) => subscription.on(event, listener),
    unsubscribe: () => subscription.unsubscribe(),
    get position() {
      return position();
    },
    [Symbol.asyncIterator]: () => iterator,
  };
};

type Waiting = (result: IteratorResult<Job> | Promise<never>) => void;

/** A bounded queue between the socket and one reader. */
class MessageBuffer {
  /** The newest position at which nothing was missing: no message before it was left to take. */
  reached: string | undefined;
  private readonly size: number;
  private readonly messages: Job[] = [];
  private readonly waiting: Waiting[] = [];
  private ended = false;
  private error: RoomwireError | undefined;

  constructor(size: number) {
    this.size = size;
  }

  /** Whether the reader has everything that has come. */
  get isUpToDate(): boolean {
    return this.messages.length === 0 && !this.ended;
  }

  /** False when there is no room. */
  push(message: Job): boolean {
    if (this.ended) return true;
    const reader = this.waiting.shift();
    if (reader !== undefined) reader({ done: false, value: this.take(message) });
    else if (this.messages.length < this.size) this.messages.push(message);
    else return false;
    return true;
  }

  end(error: RoomwireError | undefined): void {
    if (this.ended) return;
    this.ended = true;
    this.error = error;
    for (const reader of this.waiting.splice(0)) reader(this.last());
  }

  next(): Promise<IteratorResult<Job>> {
    const message = this.messages.shift();
    if (message !== undefined) return Promise.resolve({ done: false, value: this.take(message) });
    if (this.ended) return Promise.resolve(this.last());
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private take(message: Job): Job {
    this.reached = message.meta?.position ?? this.reached;
    return message;
  }

  /** The error is thrown once; after that the stream is merely over. */
  private last(): IteratorResult<Job> | Promise<never> {
    const error = this.error;
    this.error = undefined;
    return error === undefined ? { done: true, value: undefined } : Promise.reject(error);
  }
}
