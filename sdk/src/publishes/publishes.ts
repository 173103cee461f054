import { ConnectionError, RoomwireError } from '../errors.js';
import { deferred, type Schedule } from '../primitives.js';
import { encodeFrame } from '../protocol/codec.js';
import type { Feature, PublishedFrame } from '../protocol/frames.js';
import type { PendingPublish } from './pendingPublish.js';
import { isPublishId, type Published, type PublishOptions } from './publishOptions.js';
import { Resending } from './resending.js';

export interface PublishesContext {
  readonly schedule: Schedule;
  /** How long a publish without an id waits for its answer, in milliseconds. */
  readonly requestMs: number;
  /** How long a publish with an id does, over all connections, in milliseconds. */
  readonly publishMs: number;
  newId(): string;
  isOnline(): boolean;
  sendEncoded(frame: Uint8Array<ArrayBuffer>): void;
}

/** The publishes that the server has not answered yet. Those with an id are sent again after a reconnect. */
export class Publishes {
  private readonly context: PublishesContext;
  /** By `msgRef`, in the order of the calls. */
  private readonly pending = new Map<string, PendingPublish>();
  private readonly resending: Resending;
  private features: readonly Feature[] = [];
  private count = 0;

  constructor(context: PublishesContext) {
    this.context = context;
    this.resending = new Resending({ schedule: context.schedule, send: (publish) => this.send(publish) });
  }

  async publish(topic: string, data: unknown, options: PublishOptions): Promise<Published> {
    if (!this.context.isOnline()) throw new ConnectionError('not_connected');
    const publish = this.prepare(topic, data, options);
    this.pending.set(publish.msgRef, publish);
    if (this.resending.isUnderWay) this.resending.add(publish);
    else this.send(publish);
    return publish.answer.promise;
  }

  /** Sends what is waiting for an answer once more, if the server can tell that it has it already. */
  connected(features: readonly Feature[]): void {
    this.features = features;
    this.lose(
      ({ isForLater }) => !this.has('idempotency') || (isForLater && !this.has('schedules')),
      undefined,
    );
    this.resending.start(this.pending.values());
  }

  published({ msgRef, duplicate, scheduledId }: PublishedFrame): void {
    const publish = this.pending.get(msgRef);
    if (publish === undefined || !this.settle(publish)) return;
    const { id, answer } = publish;
    answer.resolve({ id, duplicate, ...(scheduledId !== undefined && { scheduledId }) });
  }

  /** Whether the error answers a publish of ours. */
  refused(error: RoomwireError): boolean {
    const publish = error.msgRef === undefined ? undefined : this.pending.get(error.msgRef);
    if (publish === undefined) return false;
    // This attempt was refused, and the one before it perhaps accepted: only another one can tell.
    if (error.error === 'rate_limit_exceeded' && this.resending.putOff(publish)) return true;
    this.fail(publish, error);
    return true;
  }

  /** The connection has ended; there will be another one. */
  disconnected(cause: RoomwireError): void {
    this.resending.stop();
    this.lose(({ id }) => id === undefined, cause);
  }

  /** There will be no other connection: the server may have accepted each of them, or not. */
  close(cause: RoomwireError): void {
    this.resending.stop();
    this.lose(() => true, cause);
  }

  private prepare(topic: string, data: unknown, options: PublishOptions): PendingPublish {
    const msgRef = String(++this.count);
    const id = this.idOf(options, topic);
    const { qos, retain, filter, filters, deliverAt } = options;
    const isForLater = deliverAt !== undefined;
    if (isForLater && !this.has('schedules')) throw new RoomwireError('unsupported_feature', { topic });
    // An absent `data` would make the frame invalid. It goes last: a refusal names what stands in front of the fault.
    const bytes = encodeFrame({
      ...{ type: 'publish', topic, msgRef, id, qos, retain, filter, filters },
      deliverAt: isForLater ? Number(deliverAt) : undefined,
      data: data ?? null,
    });
    const { schedule, requestMs, publishMs } = this.context;
    const cancelTimeout = schedule(() => this.timedOut(msgRef), id === undefined ? requestMs : publishMs);
    return { msgRef, topic, id, isForLater, bytes, answer: deferred(), cancelTimeout };
  }

  private idOf({ id }: PublishOptions, topic: string): string | undefined {
    if (typeof id === 'string' && !isPublishId(id)) throw new RoomwireError('invalid_id', { topic });
    if (id === false || !this.has('idempotency')) return undefined;
    return id ?? this.context.newId();
  }

  private has(feature: Feature): boolean {
    return this.features.includes(feature);
  }

  private send({ bytes }: PendingPublish): void {
    this.context.sendEncoded(bytes);
  }

  private lose(isLost: (publish: PendingPublish) => boolean, cause: RoomwireError | undefined): void {
    for (const publish of [...this.pending.values()].filter(isLost)) {
      const { topic, msgRef } = publish;
      this.fail(publish, new ConnectionError('connection_lost', { topic, msgRef, cause }));
    }
  }

  private timedOut(msgRef: string): void {
    const publish = this.pending.get(msgRef);
    if (publish === undefined) return;
    this.fail(publish, new ConnectionError('request_timeout', { topic: publish.topic, msgRef }));
  }

  private fail(publish: PendingPublish, error: RoomwireError): void {
    if (this.settle(publish)) publish.answer.reject(error);
  }

  private settle(publish: PendingPublish): boolean {
    if (!this.pending.delete(publish.msgRef)) return false;
    publish.cancelTimeout();
    this.resending.settled(publish);
    return true;
  }
}
