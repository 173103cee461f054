import type { Buffer } from 'node:buffer';
import type { TopicConfigs } from '@roomwire/shared/domain/app';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { RetainedMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { GatewayMetrics } from '../metrics.js';
import { payloadOf } from '@roomwire/shared/wire/protocol/encodeFrames';
import { matchesFilters } from '@roomwire/shared/wire/protocol/matchesFilters';
import { RetainedValues, type RetainStamps, type RetainedValue } from './retainedValues.js';
import { RetainedDeletions, type DeletedTopic } from './retainedDeletions.js';
import type { Audiences } from './audience.js';
import { MessageFrames } from './messageFrames.js';
import type { Subscriber } from './subscriber.js';

interface RetainedDeps {
  readonly audiences: Pick<Audiences, 'of'>;
  readonly metrics: GatewayMetrics;
  readonly stamps: RetainStamps;
  readonly budgetBytes: number;
  readonly limits: Pick<LimitReports, 'reached'>;
  /** How far the live channel may lag behind the retained one. */
  readonly graceMs: number;
}

/**
 * [WS-RETAIN-1] The last value of each topic. Every retained message arrives twice: on the retained channel, which all gateways
 * read, and on the live channel, which gateways with subscribers in the room read. Their order relative to each other is undefined.
 */
export class Retained {
  private readonly deps: RetainedDeps;
  private readonly values: RetainedValues;
  private readonly late: LateMessages;
  private readonly deletions = new RetainedDeletions();

  constructor(deps: RetainedDeps) {
    this.deps = deps;
    this.values = new RetainedValues(deps.budgetBytes, (projectId) =>
      deps.limits.reached('retainedBytes', { projectId }),
    );
    this.late = new LateMessages(deps.graceMs, (topic, stamp) => this.catchUp(topic, stamp));
  }

  /** From the retained channel. */
  readonly stored = (message: RetainedMessage): void => {
    if (!this.keep(message)) return;
    const { topic, retention } = message;
    const audience = this.deps.audiences.of(topic);
    if (audience !== undefined && audience.retained < retention.stamp) {
      this.late.expect(topic, retention.stamp);
    }
  };

  /** Values in memory, and their bytes. */
  get held(): { readonly values: number; readonly bytes: number } {
    return { values: this.values.size, bytes: this.values.bytes };
  }

  /** From the live channel, before delivery. */
  passed(message: RetainedMessage): void {
    this.keep(message);
    this.late.arrived(message.topic, message.retention.stamp);
  }

  /** [WS-RETAIN-2] Sends a subscriber that has just joined the last value of its topic. */
  sendLast(subscriber: Subscriber): void {
    const { topic } = subscriber.access;
    const value = this.values.get(topic);
    if (value === undefined) return;
    // What came live before it must not be taken for older.
    this.deps.audiences.of(topic)?.catchUp(subscriber);
    this.offer(subscriber, value);
  }

  roomDeleted(roomId: string): void {
    this.values.removeWhere((value) => value.roomId === roomId);
  }

  appDeleted(appId: string): void {
    this.values.removeWhere((value) => value.appId === appId);
  }

  scopeDeleted(accessScopeId: string): void {
    this.values.removeWhere((value) => value.accessScopeId === accessScopeId);
  }

  projectDeleted(projectId: string): void {
    this.values.removeWhere((value) => value.projectId === projectId);
  }

  /** The history of a topic was deleted at a time, Unix milliseconds. */
  topicDeleted(topic: DeletedTopic, at: number): void {
    this.deletions.topicDeleted(topic, at);
    this.removeDeleted();
  }

  /** An app has other settings of its topics, some of which may have lost their history. */
  topicsConfigured(appId: string, configs: TopicConfigs, at: number): void {
    this.deletions.topicsConfigured(appId, configs, at);
    this.removeDeleted();
  }

  close(): void {
    this.late.close();
  }

  private removeDeleted(): void {
    this.values.removeWhere((value) => this.deletions.cover(value));
  }

  private keep(message: RetainedMessage): boolean {
    this.deps.stamps.seen(message.retention.stamp);
    if (this.deletions.cover({ ...message, ...message.retention })) return false;
    const isNews = this.values.keep(message);
    this.deps.metrics.retainedDropped = this.values.dropped;
    return isNews;
  }

  /**
   * [WS-RETAIN-3] Sends a value to subscribers that joined after its live delivery and before it was stored here. Subscribers
   * that joined earlier received it live, unless it did not match.
   */
  private catchUp(topic: string, stamp: string): void {
    const audience = this.deps.audiences.of(topic);
    const value = this.values.get(topic);
    if (audience === undefined || value?.stamp !== stamp || audience.retained >= stamp) return;
    for (const subscriber of audience.all) {
      audience.catchUp(subscriber);
      this.offer(subscriber, value);
    }
  }

  private offer(subscriber: Subscriber, value: RetainedValue): void {
    const { filters, outbox, actorTokenId, own } = subscriber;
    if (subscriber.hasSeen(value) || (actorTokenId === value.publisher && !own)) return;
    // [WS-HIST-7] There is no last value besides.
    if (subscriber.hasReplay) return;
    if (!isSameRoomAndScope(subscriber, value)) return;
    if (filters !== undefined && !matchesFilters(filters, value.filters)) return;
    subscriber.sentAsLastValue(value);
    outbox.push(subscriber.meta ? frameWithMeta(value) : value.frame);
    this.deps.metrics.deliveries++;
  }
}

const frameWithMeta = (value: RetainedValue): Buffer =>
  new MessageFrames({ ...value, body: payloadOf(value.frame) }).for({ meta: true });

/** A new app, room or scope with the slug of a deleted one must not get its values. */
const isSameRoomAndScope = ({ client, access }: Subscriber, value: RetainedValue): boolean =>
  access.location.room.value.roomId === value.roomId &&
  (client.identity.accessScope?.accessScopeId ?? null) === value.accessScopeId;

/**
 * Retained messages that are stored and have not arrived live yet, by topic. Those that have not arrived within one to two
 * grace periods are reported. One timer for all of them, and none while there are none.
 */
class LateMessages {
  private readonly graceMs: number;
  private readonly onOverdue: (topic: string, stamp: string) => void;
  private expected = new Map<string, string>();
  private overdue = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;
  private isOpen = true;

  constructor(graceMs: number, onOverdue: (topic: string, stamp: string) => void) {
    this.graceMs = graceMs;
    this.onOverdue = onOverdue;
  }

  expect(topic: string, stamp: string): void {
    this.overdue.delete(topic);
    this.expected.set(topic, stamp);
    this.schedule();
  }

  /** The message arrived live; earlier ones that have not arrived never will. */
  arrived(topic: string, stamp: string): void {
    for (const stamps of [this.expected, this.overdue]) {
      const missing = stamps.get(topic);
      if (missing !== undefined && missing <= stamp) stamps.delete(topic);
    }
  }

  close(): void {
    this.isOpen = false;
    clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.isOpen) this.timer ??= setTimeout(this.check, this.graceMs).unref();
  }

  private readonly check = (): void => {
    this.timer = undefined;
    const missing = this.overdue;
    this.overdue = this.expected;
    this.expected = new Map();
    if (this.overdue.size > 0) this.schedule();
    for (const [topic, stamp] of missing) this.onOverdue(topic, stamp);
  };
}
