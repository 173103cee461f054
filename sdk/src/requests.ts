import { requestDelay } from './connection/reconnect.js';
import { ConnectionError, mayPass, type RoomwireError } from './errors.js';
import { deferred, type Deferred, type Random, type Schedule } from './primitives.js';
import type { ClientFrame } from './protocol/clientFrames.js';

export interface RequestsContext {
  readonly schedule: Schedule;
  readonly random: Random;
  readonly requestMs: number;
  send(frame: ClientFrame): void;
  onError(error: RoomwireError): void;
}

/** The frame that answers a request, by its type and what it is about; `about` is undefined where it names nothing. */
export interface Reply {
  readonly type: string;
  readonly about: string | undefined;
}

export interface Request {
  readonly frames: readonly ClientFrame[];
  /** What a refusal of one of the frames names. */
  readonly about: string;
  readonly answeredBy: Reply;
  /** A refusal comes instead of the answer, and not besides it. */
  readonly refusalAnswers: boolean;
  /** Called with the answer before any later frame is read, also where it comes too late for the promise; not after a refusal. */
  readonly onAnswer?: ((content: unknown) => void) | undefined;
}

interface Pending extends Request {
  readonly answer: Deferred<unknown>;
  readonly cancelTimeout: () => void;
  isRefused: boolean;
}

/**
 * Requests whose replies carry no reference of ours. The server handles the frames of a connection in their order, so
 * that a reply belongs to the first request that waits for one of its kind. One that timed out still waits for it.
 */
export class Requests {
  private readonly context: RequestsContext;
  private pending: readonly Pending[] = [];

  constructor(context: RequestsContext) {
    this.context = context;
  }

  /** Resolves with the answer. Rejects with the refusal, `request_timeout`, `not_connected` or `connection_lost`. */
  async ask(request: Request): Promise<unknown> {
    for (const frame of request.frames) this.context.send(frame);
    return this.wait(request, this.context.requestMs, ({ answer }) =>
      answer.reject(new ConnectionError('request_timeout')),
    );
  }

  /**
   * For what is made again on a new connection: asks with back-off until it succeeds, and reports failures that may pass. Rejects with any other
   * one, and with `connection_lost`.
   */
  async persist(ask: () => Promise<unknown>): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        await ask();
        return;
      } catch (error) {
        if (!mayPass(error as RoomwireError)) throw error;
        this.context.onError(error as RoomwireError);
      }
      await this.wait(pause, requestDelay(failures, this.context.random), (over) => {
        this.end(over);
        over.answer.resolve(undefined);
      });
    }
  }

  /** One frame that is answered or refused, and either names what it is about. Resolves and rejects as `ask` does. */
  question(
    frame: ClientFrame,
    about: string,
    answer: string,
    onAnswer?: (content: unknown) => void,
  ): Promise<unknown> {
    const answeredBy = { type: answer, about };
    return this.ask({ frames: [frame], about, answeredBy, refusalAnswers: true, onAnswer });
  }

  /** Whether a request was pending for it. */
  answered(reply: Reply, content: unknown): boolean {
    const request = this.pending.find(
      ({ answeredBy }) => answeredBy.type === reply.type && answeredBy.about === reply.about,
    );
    if (request === undefined) return false;
    this.end(request);
    if (!request.isRefused) request.onAnswer?.(content);
    request.answer.resolve(content);
    return true;
  }

  /** Whether the error answers a request of ours. */
  refused(about: string | undefined, error: RoomwireError): boolean {
    const request = this.pending.find((one) => one.about === about && !one.isRefused);
    if (request === undefined) return false;
    request.isRefused = true;
    request.answer.reject(error);
    if (request.refusalAnswers) this.end(request);
    return true;
  }

  /** The connection is lost: no answer will come. */
  lost(cause: RoomwireError): void {
    const pending = this.pending;
    for (const request of pending) {
      this.end(request);
      request.answer.reject(new ConnectionError('connection_lost', { cause }));
    }
  }

  private wait(request: Request, forMs: number, onTime: (pending: Pending) => void): Promise<unknown> {
    const answer = deferred<unknown>();
    const cancelTimeout = this.context.schedule(() => onTime(pending), forMs);
    const pending: Pending = { ...request, answer, cancelTimeout, isRefused: false };
    this.pending = [...this.pending, pending];
    return answer.promise;
  }

  private end(request: Pending): void {
    request.cancelTimeout();
    this.pending = this.pending.filter((one) => one !== request);
  }
}

/** Ends like a request when the connection is lost; no frame answers it. */
const pause: Request = {
  ...{ frames: [], about: '', refusalAnswers: true },
  answeredBy: { type: '', about: undefined },
};
