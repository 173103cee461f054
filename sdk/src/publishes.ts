import { ConnectionError, type RoomwireError } from './errors.js';
import { deferred, type Deferred, type Schedule } from './primitives.js';
import type { ClientFrame, Qos } from './protocol/frames.js';

export interface PublishOptions {
  /** Of the broker's internal hop; 1 by default. */
  readonly qos?: Qos;
  /** Keep the message as the topic's last value for later subscribers; false by default. */
  readonly retain?: boolean;
  /** Goes to the subscribers whose filters include this value, and to those without filters. */
  readonly filter?: string;
  /** Instead of `filter`: several values, matched against the subscribers' AND-groups too. */
  readonly filters?: readonly string[];
}

export interface PublishesContext {
  readonly schedule: Schedule;
  readonly requestMs: number;
  send(frame: ClientFrame): void;
}

interface InFlight {
  readonly topic: string;
  readonly answer: Deferred<void>;
  readonly cancelTimeout: () => void;
}

/** The publishes that the server has not answered yet, by `msgRef`. */
export class Publishes {
  private readonly context: PublishesContext;
  private readonly inFlight = new Map<string, InFlight>();
  private sent = 0;

  constructor(context: PublishesContext) {
    this.context = context;
  }

  async publish(topic: string, data: unknown, options: PublishOptions): Promise<void> {
    const msgRef = String(++this.sent);
    const { qos, retain, filter, filters } = options;
    // An absent `data` would make the frame invalid. It goes last: a refusal names what stands in front of the fault.
    this.context.send({ type: 'publish', topic, msgRef, qos, retain, filter, filters, data: data ?? null });
    const answer = deferred<void>();
    const timeout = new ConnectionError('request_timeout', { topic, msgRef });
    const cancelTimeout = this.context.schedule(() => this.settle(msgRef, timeout), this.context.requestMs);
    this.inFlight.set(msgRef, { topic, answer, cancelTimeout });
    return answer.promise;
  }

  published(msgRef: string): void {
    this.settle(msgRef, undefined);
  }

  /** Whether the error answers a publish of ours. */
  refused(error: RoomwireError): boolean {
    return error.msgRef !== undefined && this.settle(error.msgRef, error);
  }

  /** No answer will come: the server may have accepted each of them, or not. */
  lost(cause: RoomwireError): void {
    for (const [msgRef, { topic }] of [...this.inFlight])
      this.settle(msgRef, new ConnectionError('connection_lost', { topic, msgRef, cause }));
  }

  private settle(msgRef: string, error: RoomwireError | undefined): boolean {
    const publish = this.inFlight.get(msgRef);
    if (publish === undefined) return false;
    this.inFlight.delete(msgRef);
    publish.cancelTimeout();
    if (error === undefined) publish.answer.resolve();
    else publish.answer.reject(error);
    return true;
  }
}
