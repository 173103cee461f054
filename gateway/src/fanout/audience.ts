import { FilteredSubscribers } from './filteredSubscribers.js';
import type { Line } from './line.js';
import type { Subscriber } from './subscriber.js';
import type { WideMessage } from './wideMessage.js';

/** The subscribers of one topic. */
export class Audience {
  readonly projectId: string;
  private newestStamp = '';
  /** Those that ask for nothing but messages, so that what others ask for costs them nothing. */
  readonly plain = new FilteredSubscribers();
  /** Those that ask for `meta` or `own`. */
  readonly asking = new FilteredSubscribers();
  /** Those that wait for what was published before. */
  readonly holding = new FilteredSubscribers();
  /** Where messages wait that are for too many to be delivered at once; without the holding, who wait already. */
  line: Line<Subscriber, WideMessage> | undefined;

  constructor(projectId: string) {
    this.projectId = projectId;
  }

  get isEmpty(): boolean {
    return this.plain.isEmpty && this.asking.isEmpty && this.holding.isEmpty;
  }

  get all(): readonly Subscriber[] {
    return [this.plain, this.asking, this.holding].flatMap((part) => part.all);
  }

  /** The stamp of the newest retained message that has arrived live. */
  get retained(): string {
    return this.newestStamp;
  }

  passed(stamp: string): void {
    if (stamp > this.newestStamp) this.newestStamp = stamp;
  }

  add(subscriber: Subscriber): void {
    this.partOf(subscriber).add(subscriber);
    if (this.line === undefined) subscriber.lastGiven = 0;
    else this.line.join(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.catchUp(subscriber);
    const moved = this.partOf(subscriber).remove(subscriber);
    // The line may have passed its new slot.
    if (moved !== undefined) this.catchUp(moved);
  }

  /** A subscriber has all messages that have come so far. */
  catchUp(subscriber: Subscriber): void {
    if (!subscriber.isHolding) this.line?.catchUp(subscriber);
  }

  /** Whom the line has to give these messages. */
  *receivers(messages: readonly WideMessage[]): Iterable<Subscriber> {
    yield* this.plain.unfiltered;
    yield* this.asking.unfiltered;
    for (const { matching } of messages)
      for (const subscriber of matching) if (this.hasFiltered(subscriber)) yield subscriber;
  }

  private hasFiltered(subscriber: Subscriber): boolean {
    return this.plain.hasFiltered(subscriber) || this.asking.hasFiltered(subscriber);
  }

  private partOf({ meta, own, isHolding }: Subscriber): FilteredSubscribers {
    if (isHolding) return this.holding;
    return meta || own ? this.asking : this.plain;
  }
}

/** The audiences of this gateway, by internal topic. */
export class Audiences {
  private readonly byTopic = new Map<string, Audience>();

  /** Undefined for a topic without subscribers. Callers must not keep it. */
  of(topic: string): Audience | undefined {
    return this.byTopic.get(topic);
  }

  add(subscriber: Subscriber): void {
    const { topic } = subscriber.access;
    let audience = this.byTopic.get(topic);
    if (audience === undefined) {
      audience = new Audience(subscriber.client.identity.projectId);
      this.byTopic.set(topic, audience);
    }
    audience.add(subscriber);
  }

  /** To be called before its connection ends. */
  catchUp(subscriber: Subscriber): void {
    this.of(subscriber.access.topic)?.catchUp(subscriber);
  }

  remove(subscriber: Subscriber): void {
    const { topic } = subscriber.access;
    const audience = this.byTopic.get(topic);
    audience?.remove(subscriber);
    if (audience?.isEmpty) this.byTopic.delete(topic);
  }
}
