import type { ActivitySink } from '@roomwire/shared/activity/activity';
import type { LiveMessage, RetainedMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import { mayComeTwice, type ReplayedMessages } from '../history/replayedMessages.js';
import type { GatewayMetrics } from '../metrics.js';
import type { Audience, Audiences } from './audience.js';
import { deliverAtOnce, matchingIn } from './deliverAtOnce.js';
import type { LineMemory } from './lineMemory.js';
import type { Places } from './places.js';
import { RecentIds } from './recentIds.js';
import type { Retained } from './retained.js';
import { createWideDelivery, isWide, usualBounds, type WideBounds } from './wideDelivery.js';

interface DeliveryDeps {
  readonly audiences: Pick<Audiences, 'of'>;
  readonly metrics: GatewayMetrics;
  readonly retained: Retained;
  readonly groups: { take(record: RoomRecord): void };
  readonly jobs: {
    take(message: LiveMessage, offset: number): void;
    passed(room: string, offset: number): void;
  };
  readonly places: Pick<Places, 'of'>;
  readonly replayed: Pick<ReplayedMessages, 'isSecondCopy'>;
  readonly activity?: Pick<ActivitySink, 'add'> | undefined;
  readonly lines: LineMemory;
  readonly bounds?: WideBounds;
}

/** Number of messages of QoS 2, or with an id of the publisher's, whose second copies are recognized. Their ids take about 10 MB at most. */
const remembered = 50_000;

/** How many deliveries there were; of a message for very many it is known later. */
export type Deliveries = number | Promise<number>;

/**
 * [WS-PUB-2] Hands a message to every local subscriber but its publisher, and to the worker groups of its topic. The frame
 * is encoded once for all of them, and nothing here waits for a reader.
 */
export const createDelivery = (deps: DeliveryDeps) => {
  const { audiences, metrics, retained, groups, jobs, places, replayed, activity } = deps;
  const { bounds = usualBounds } = deps;
  const exactlyOnce = new RecentIds(remembered);
  /** [WS-PUB-10] [WS-ONCE-4] */
  const isSecondCopy = (message: LiveMessage): boolean =>
    mayComeTwice(message) && (exactlyOnce.isRepeated(message.id) || replayed.isSecondCopy(message));
  const delivered = (projectId: string, deliveries: number): void => {
    metrics.deliveries += deliveries;
    activity?.add(projectId, 'messagesOut', deliveries);
  };
  const deliverWide = createWideDelivery({ memory: deps.lines, bounds, delivered });

  const deliver = (message: LiveMessage, audience: Audience): Deliveries => {
    const matching = matchingIn(audience, message);
    if (isWide(audience, matching, bounds)) return deliverWide(message, audience, matching);
    const deliveries = deliverAtOnce(message, audience, matching);
    delivered(audience.projectId, deliveries);
    return deliveries;
  };

  /** `offset`: of the record, in its partition. */
  return (record: RoomRecord, offset: number): Deliveries => {
    if (isGroupRecord(record)) {
      if (record.kind === 'check') jobs.passed(record.room, offset);
      groups.take(record);
      return 0;
    }
    const message = record.kept === undefined ? record : { ...record, place: places.of(record, offset) };
    // Groups deduplicate on their own, identically on all gateways.
    groups.take(message);
    jobs.take(message, offset);
    const audience = audiences.of(message.topic);
    // Also a second copy, which may have a stamp of its own and must not be missed.
    if (isToBeRetained(message)) {
      retained.passed(message);
      audience?.passed(message.retention.stamp);
    }
    if (isSecondCopy(message)) {
      metrics.secondCopies++;
      return 0;
    }
    return audience === undefined ? 0 : deliver(message, audience);
  };
};

const isToBeRetained = (message: LiveMessage): message is RetainedMessage => message.retention !== undefined;
