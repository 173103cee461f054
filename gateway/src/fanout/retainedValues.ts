import { Buffer } from 'node:buffer';
import type { RetainedMessage, RetainedMeta } from '@roomwire/shared/wire/bus/liveMessage';
import { binaryFrame } from '@roomwire/shared/wire/protocol/encodeFrames';
import type { Clock } from '@roomwire/shared/ports/clock';
import { FairBudget, type Account } from '../limits/fairBudget.js';

export interface RetainedValue
  extends
    RetainedMeta,
    Pick<RetainedMessage, 'id' | 'projectId' | 'publisher' | 'room' | 'topic' | 'kept' | 'place'> {
  readonly filters: ReadonlySet<string>;
  /** The complete WebSocket frame. */
  readonly frame: Buffer;
}

/** Measured memory overhead per value, in bytes. */
const overheadBytes = 850;

/** Internal topics, the least recently used first. */
type Topics = Set<string>;

/**
 * The last value of each topic, within a budget. Beyond it the project that holds the most loses values, the least recently used
 * first.
 */
export class RetainedValues {
  dropped = 0;
  private readonly budget: FairBudget<Topics>;
  /** By internal topic. */
  private readonly values = new Map<string, RetainedValue>();
  private readonly projects = new Map<string, Account<Topics>>();
  private readonly onDropped: (projectId: string) => void;

  constructor(budgetBytes: number, onDropped: (projectId: string) => void = () => undefined) {
    this.budget = new FairBudget(budgetBytes);
    this.onDropped = onDropped;
  }

  get size(): number {
    return this.values.size;
  }

  /** Bytes used of the budget. */
  get bytes(): number {
    return this.budget.used;
  }

  /** Returns false if the topic already has this value or a newer one. */
  keep(message: RetainedMessage): boolean {
    const { topic, room, projectId, filters, body, retention, id, publisher, kept, place } = message;
    const former = this.values.get(topic);
    if (former !== undefined && former.stamp >= retention.stamp) return this.placed(former, message);
    const value = {
      ...{ ...retention, projectId, id, publisher, room, topic, kept, place },
      filters: new Set(filters),
      frame: ownFrame(body),
    };
    this.remove(topic);
    this.values.set(topic, value);
    const project = this.accountOf(projectId);
    project.member.add(topic);
    project.resize(project.bytes + sizeOf(topic, value));
    this.makeRoom();
    return true;
  }

  /** Only the live copy of a value says where it stands in the record. */
  private placed(value: RetainedValue, { retention, kept, place }: RetainedMessage): false {
    if (value.stamp === retention.stamp && place !== undefined && value.place === undefined)
      this.values.set(value.topic, { ...value, kept, place });
    return false;
  }

  /** Counts as a use. */
  get(topic: string): RetainedValue | undefined {
    const value = this.values.get(topic);
    if (value === undefined) return undefined;
    const topics = this.accountOf(value.projectId).member;
    topics.delete(topic);
    topics.add(topic);
    return value;
  }

  removeWhere(isGone: (value: RetainedValue) => boolean): void {
    for (const [topic, value] of this.values) if (isGone(value)) this.remove(topic);
  }

  private makeRoom(): void {
    while (this.budget.isExceeded) {
      const { projectId, member } = this.budget.largest as Account<Topics>;
      const [oldest] = member;
      this.remove(oldest as string);
      this.dropped++;
      this.onDropped(projectId);
    }
  }

  private remove(topic: string): void {
    const value = this.values.get(topic);
    if (value === undefined) return;
    this.values.delete(topic);
    const project = this.accountOf(value.projectId);
    project.member.delete(topic);
    project.resize(project.bytes - sizeOf(topic, value));
    if (project.member.size > 0) return;
    this.projects.delete(value.projectId);
    project.close();
  }

  private accountOf(projectId: string): Account<Topics> {
    const known = this.projects.get(projectId);
    if (known !== undefined) return known;
    const account = this.budget.open(projectId, new Set<string>());
    this.projects.set(projectId, account);
    return account;
  }
}

/** A copy: a slice would keep the whole buffer alive. */
const ownFrame = (body: Uint8Array): Buffer => {
  const frame = binaryFrame(body);
  const own = Buffer.allocUnsafeSlow(frame.length);
  own.set(frame);
  return own;
};

const sizeOf = (topic: string, { frame, filters, id }: RetainedValue): number => {
  let texts = topic.length + id.length;
  for (const filter of filters) texts += filter.length;
  return overheadBytes + frame.length + 2 * texts;
};

const timeDigits = 9;

/**
 * Stamps by which gateways agree on which of two retained messages is newer: the time and the gateway. They increase, also
 * when the clock is set back, and exceed every stamp that this gateway has received, so that clock skew decides only between
 * concurrent messages.
 */
export class RetainStamps {
  private readonly clock: Clock;
  private readonly maker: string;
  private last = 0;

  /** `maker` must be unique among gateways. */
  constructor(clock: Clock, maker: string) {
    this.clock = clock;
    this.maker = maker;
  }

  next(): string {
    this.last = Math.max(this.clock.now(), this.last + 1);
    return `${this.last.toString(36).padStart(timeDigits, '0')}.${this.maker}`;
  }

  seen(stamp: string): void {
    const time = Number.parseInt(stamp.slice(0, timeDigits), 36);
    if (time > this.last) this.last = time;
  }
}
