import type { SeededChance } from '@roomwire/testing/run/seededChance';
import type { Published } from '../run/published.js';

/** So many of those that have been accepted may be published once more. */
const kept = 20;

/** What one publisher has published with ids, by whichever connections. */
export class Outbox {
  private pending: Published[] = [];
  private accepted: Published[] = [];

  add(message: Published): void {
    this.pending.push(message);
  }

  /** One whose publishes have all come to nothing; undefined where there is none. */
  unanswered(chance: SeededChance): Published | undefined {
    this.sort();
    return oneOf(
      chance,
      this.pending.filter(({ isAwaited }) => !isAwaited),
    );
  }

  /** Also one that is under way, or has been accepted. */
  any(chance: SeededChance): Published | undefined {
    this.sort();
    return oneOf(chance, chance.below(3) === 0 ? this.pending : this.accepted);
  }

  private sort(): void {
    this.accepted = [...this.accepted, ...this.pending.filter(({ isAccepted }) => isAccepted)].slice(-kept);
    this.pending = this.pending.filter(({ isSettled }) => !isSettled);
  }
}

const oneOf = (chance: SeededChance, messages: readonly Published[]): Published | undefined =>
  messages.length === 0 ? undefined : chance.oneOf(messages);

/** By publisher; that of the backend has an empty name. */
export class Outboxes {
  private readonly byActor = new Map<string, Outbox>();

  of(actor: string): Outbox {
    const outbox = this.byActor.get(actor) ?? new Outbox();
    this.byActor.set(actor, outbox);
    return outbox;
  }
}
