import type { EventWebhook } from '@roomwire/shared/domain/roomEvents';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { webhookCalls } from '@roomwire/shared/wire/bus/webhookCalls';
import { webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import type { GatewayMetrics } from '../metrics.js';
import { eventCall, eventRun, longestRun } from './eventCalls.js';
import type { RoomPlace } from './places.js';
import type { Roll, RollChange, WaitingEvent } from './roll.js';
import type { RollLog } from './rollLog.js';

export interface LineDeps {
  readonly bus: Pick<MessageBus, 'put'>;
  readonly clock: Clock;
  readonly metrics: GatewayMetrics;
  readonly limits: Pick<LimitReports, 'reached'>;
}

interface LineOf {
  readonly roll: Roll;
  readonly log: RollLog;
  readonly change: (change: RollChange) => void;
  /** Undefined while the app has none. */
  readonly webhook: () => EventWebhook | undefined;
}

const mostWaiting = limitTable.roomEvents.value;
const mostBytes = limitTable.roomEventBytes.value;

/**
 * A queue that was lost with its engine: none of the events under way, which are called for one after the other, has ended for longer than one
 * may wait, a day for an endpoint that is shut off, and be tried for its `retrySeconds` before.
 */
const lostAfterMs = 25 * 3_600_000;

type Run = readonly [WaitingEvent, ...WaitingEvent[]];

/** The events of a roll on their way: some are on the queue of calls, and the next follow when these have ended. */
export class EventLine {
  private readonly deps: LineDeps;
  private readonly of: LineOf;
  private isBusy = false;
  /** Since the last time that something was put. */
  private isWanted = false;
  private isStopped = false;

  constructor(deps: LineDeps, of: LineOf) {
    this.deps = deps;
    this.of = of;
  }

  get isUnderWay(): boolean {
    return this.of.roll.sent > this.of.roll.settled;
  }

  settle(upTo: number): void {
    if (upTo <= this.of.roll.settled) return;
    this.of.change({ kind: 'settled', upTo, at: this.deps.clock.now() });
    this.advance();
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Puts what may be put. What fails is tried again with the next call. */
  advance(): void {
    this.isWanted = true;
    if (!this.isBusy) void this.work();
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    while (this.isWanted && !this.isStopped) {
      this.isWanted = false;
      // The bus is away: the outage is told of elsewhere.
      const hasMore = await this.putNext().catch(() => false);
      if (hasMore) this.isWanted = true;
    }
    this.isBusy = false;
  }

  private async putNext(): Promise<boolean> {
    if (this.isFull) return this.drop();
    const { place } = this.of.roll;
    const webhook = this.of.webhook();
    if (place === undefined || webhook === undefined) return false;
    if (this.isUnderWay) return this.isLost(webhook) && this.put(place, webhook, this.runUnderWay());
    return this.put(place, webhook, eventRun(this.storedUnsent(longestRun)));
  }

  private async put(place: RoomPlace, webhook: EventWebhook, run: readonly WaitingEvent[]): Promise<boolean> {
    if (!isRun(run)) return false;
    const { bus, clock, metrics } = this.deps;
    await bus.put(webhookCalls, eventCall(place, webhook, run));
    metrics.roomEventsPut += run.length;
    if (this.isStopped) return false;
    this.of.change({ kind: 'sent', upTo: run.at(-1)?.sequence ?? 0, at: clock.now() });
    return false;
  }

  /** [HOOK-EVENT-8] The oldest that are not under way become dead letters. */
  private async drop(): Promise<boolean> {
    const { bus, metrics, limits } = this.deps;
    const { place } = this.of.roll;
    const webhook = this.of.webhook();
    const [oldest] = this.storedUnsent(1);
    if (place === undefined || webhook === undefined || oldest === undefined) return false;
    await bus.put(webhookReports, {
      outcome: 'failed',
      call: eventCall(place, webhook, [oldest]),
      ...{ responseStatus: null, error: 'room_events_full', status: 'pending' },
    });
    metrics.roomEventsDropped += 1;
    limits.reached('roomEvents', { projectId: place.projectId, roomId: place.roomId });
    if (this.isStopped) return false;
    this.of.change({ kind: 'dropped', upTo: oldest.sequence });
    return true;
  }

  private get isFull(): boolean {
    const { waiting, waitingBytes } = this.of.roll;
    return waiting.length > mostWaiting || waitingBytes > mostBytes;
  }

  private isLost({ retrySeconds = 0 }: EventWebhook): boolean {
    return this.deps.clock.now() - this.of.roll.movedAt > retrySeconds * 1_000 + lostAfterMs;
  }

  private runUnderWay(): readonly WaitingEvent[] {
    return this.of.roll.waiting.filter(({ sequence }) => sequence <= this.of.roll.sent);
  }

  private storedUnsent(most: number): readonly WaitingEvent[] {
    return this.of.roll.unsent(most).filter(({ sequence }) => sequence <= this.of.log.durable);
  }
}

const isRun = (events: readonly WaitingEvent[]): events is Run => events.length > 0;
