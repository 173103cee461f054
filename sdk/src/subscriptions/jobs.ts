import { RoomwireError } from '../errors.js';
import { nothing, type Schedule } from '../primitives.js';
import type { ClientFrame } from '../protocol/clientFrames.js';
import type { MessageFrame } from '../protocol/frames.js';
import type { Receivers } from './delivery.js';
import type { Member } from './members.js';
import { messageOf, type AcknowledgeableMessage, type MessageHandler } from './message.js';
import type { JobOptions } from './subscribeOptions.js';

/** An `AbortSignal`, where the types of the platform have one: a project may have neither those of browsers nor those of Node. */
export type JobSignal = typeof globalThis extends {
  readonly AbortSignal: { readonly prototype: infer Signal };
}
  ? Signal
  : { readonly aborted: boolean };

/** A message of a subscription with `jobs`, which no other worker holds at the same time. The first call that settles it counts. */
export interface Job extends AcknowledgeableMessage {
  /** The number of deliveries, from 1. */
  readonly delivery: number;
  /**
   * Aborted when the job no longer belongs to this worker: its connection is lost, or its subscription has ended. The outcome of the handler is
   * then neither sent to the server nor reported.
   */
  readonly signal: JobSignal;
  /** Completes the job, so that it is not delivered again. By default the client does this when the handler succeeds. */
  ack(): void;
  /** Gives the job back, for any worker, after `delaySeconds` (rounded, and 900 at most; default 0). The client does this when the handler fails. */
  nack(options?: { readonly delaySeconds?: number | undefined }): void;
  /** Restarts `ackSeconds`. */
  progress(): void;
}

export interface JobsContext {
  readonly schedule: Schedule;
  isOnline(): boolean;
  send(frame: ClientFrame): void;
  onError(error: RoomwireError): void;
}

interface Held {
  readonly member: Member;
  readonly loss: AbortController;
  stopKeeping: () => void;
}

/** The server's default. */
const usualAckSeconds = 60;
/** So that a beat may be late, and one may be missed. */
const beatsOfAck = 3;

/** The jobs that the client holds on its present connection. */
export class Jobs {
  private readonly context: JobsContext;
  private readonly held = new Set<Held>();

  constructor(context: JobsContext) {
    this.context = context;
  }

  /** Runs the handler when it has a turn, and settles the job by what becomes of it. */
  async take({ topic, holds }: Receivers, member: Member, frame: MessageFrame): Promise<void> {
    const { ack, jobs = {} } = member.options;
    const held: Held = { member, loss: new AbortController(), stopKeeping: nothing };
    const job = this.hold(held, frame, jobs);
    const { signal, delivery } = job;
    try {
      await member.turns.take(async () => {
        if (signal.aborted || !holds(member)) return void this.drop(held);
        await (member.handler as MessageHandler<Job>)(job);
        if (ack !== 'manual') job.ack();
      });
    } catch (cause) {
      if (signal.aborted) return void this.drop(held);
      this.context.onError(new RoomwireError('handler_failed', { topic, cause }));
      job.nack({ delaySeconds: this.restAfter(topic, delivery, jobs) });
    }
  }

  private restAfter(topic: string, delivery: number, { retrySeconds: rest }: JobOptions): number | undefined {
    try {
      return typeof rest === 'function' ? rest(delivery) : rest;
    } catch (cause) {
      this.context.onError(new RoomwireError('handler_failed', { topic, cause }));
      return undefined;
    }
  }

  /** The connection is: nothing can settle them any more. */
  lost(): void {
    for (const held of this.held) this.drop(held).abort();
  }

  /** The server gives them to others; one that is done all the same is settled, for as long as nobody else has. */
  left(leaver: Member): void {
    for (const { member, loss, stopKeeping } of this.held) {
      if (member !== leaver) continue;
      stopKeeping();
      loss.abort();
    }
  }

  private hold(held: Held, frame: MessageFrame, { keepAlive, ackSeconds }: JobOptions): Job {
    const { msgId = '', delivery = 1 } = frame;
    const say = (what: ClientFrame): void => {
      if (this.held.has(held) && this.context.isOnline()) this.context.send(what);
    };
    const settle = (how: ClientFrame): void => {
      say(how);
      this.drop(held);
    };
    const progress = (): void => say({ type: 'progress', msgId });
    const keep = (): void => {
      held.stopKeeping = this.context.schedule(
        () => {
          progress();
          keep();
        },
        ((ackSeconds ?? usualAckSeconds) * 1_000) / beatsOfAck,
      );
    };
    this.held.add(held);
    if (keepAlive) keep();
    return {
      ...messageOf(frame),
      ...{ delivery, signal: held.loss.signal, progress },
      ack: () => settle({ type: 'ack', msgId }),
      nack: ({ delaySeconds } = {}) => settle({ type: 'nack', msgId, delaySeconds: restOf(delaySeconds) }),
    };
  }

  private drop(held: Held): AbortController {
    held.stopKeeping();
    this.held.delete(held);
    return held.loss;
  }
}

/** As the server takes it: a frame with any other number would be refused, and the job would wait for its time-out. */
const restOf = (seconds = 0): number | undefined =>
  Math.min(900, Math.max(0, Math.round(seconds))) || undefined;
