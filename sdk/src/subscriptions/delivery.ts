import { RoomwireError } from '../errors.js';
import { deferred } from '../primitives.js';
import type { HistoryGap } from '../protocol/frames.js';
import type { Member } from './members.js';
import type { AcknowledgeableMessage, Hydration, Message } from './message.js';

export interface Receivers {
  readonly topic: string;
  readonly members: readonly Member[];
  readonly holds: (member: Member) => boolean;
}

/** Hands the callers of a topic what comes; what they throw is reported and harms nobody else. */
export class Delivery {
  private readonly onError: (error: RoomwireError) => void;

  constructor(onError: (error: RoomwireError) => void) {
    this.onError = onError;
  }

  /** Whether the message is done: somebody has handled it, and nobody has failed. */
  async message(to: Receivers, message: Message): Promise<boolean> {
    const outcomes = await Promise.all(to.members.map((member) => this.hand(to, member, message)));
    return !outcomes.includes('failed') && outcomes.includes('done');
  }

  gap({ topic, members }: Receivers, gap: HistoryGap): void {
    for (const { options } of members) this.call(topic, () => options.onGap?.({ topic, ...gap }));
  }

  hydration({ topic, members }: Receivers, data: unknown): void {
    const hydration: Hydration = { topic, data };
    for (const member of members) {
      member.hydration = hydration;
      this.call(topic, () => member.options.onHydration?.(hydration));
      member.listeners.emit('hydration', hydration);
    }
  }

  /** Runs the handler at once, up to its first await, where the member has a turn for it. */
  private hand(to: Receivers, member: Member, message: Message): Promise<Outcome> {
    if (member.options.ack !== 'manual') return this.run(to, member, message);
    const acknowledged = deferred<Outcome>();
    const own: AcknowledgeableMessage = { ...message, ack: () => acknowledged.resolve('done') };
    void this.run(to, member, own);
    return acknowledged.promise;
  }

  private async run(to: Receivers, member: Member, message: Message): Promise<Outcome> {
    let outcome: Outcome = 'done';
    try {
      await member.turns.take(() => {
        if (to.holds(member)) return member.handler(message);
        // It has left, in another handler or while the message waited for its turn.
        outcome = 'left';
      });
    } catch (cause) {
      this.failed(message.topic, cause);
      outcome = 'failed';
    }
    return outcome;
  }

  private call(topic: string, listener: () => void): void {
    try {
      listener();
    } catch (cause) {
      this.failed(topic, cause);
    }
  }

  private failed(topic: string, cause: unknown): void {
    this.onError(new RoomwireError('handler_failed', { topic, cause }));
  }
}

type Outcome = 'done' | 'failed' | 'left';
