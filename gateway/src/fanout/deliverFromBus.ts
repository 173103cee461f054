import type { Buffer } from 'node:buffer';
import type { ActivitySink } from '@roomwire/shared/activity/activity';
import type { LiveMessage, RetainedMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, roomRecords, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';
import { mayComeTwice, type ReplayedMessages } from '../history/replayedMessages.js';
import type { GatewayMetrics } from '../metrics.js';
import type { Audience, Audiences, Subscriber } from './audience.js';
import { MessageFrames } from './messageFrames.js';
import type { Places } from './places.js';
import { RecentIds } from './recentIds.js';
import type { Retained } from './retained.js';

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
}

/** Number of messages of QoS 2, or with an id of the publisher's, whose second copies are recognized. Their ids take about 10 MB at most. */
const remembered = 50_000;

/**
 * [WS-PUB-2] Hands a message to every local subscriber but its publisher, and to the worker groups of its topic. The frame
 * is encoded once for all of them, and nothing here waits for a reader.
 */
export const createDelivery = (deps: DeliveryDeps) => {
  const { audiences, metrics, retained, groups, jobs, places, replayed, activity } = deps;
  const exactlyOnce = new RecentIds(remembered);
  /** [WS-PUB-10] [WS-ONCE-4] */
  const isSecondCopy = (message: LiveMessage): boolean =>
    mayComeTwice(message) && (exactlyOnce.isRepeated(message.id) || replayed.isSecondCopy(message));

  /** `offset`: of the record, in its partition. */
  return (record: RoomRecord, offset: number): void => {
    if (isGroupRecord(record)) {
      if (record.kind === 'check') jobs.passed(record.room, offset);
      return groups.take(record);
    }
    const message = record.kept === undefined ? record : { ...record, place: places.of(record, offset) };
    // Groups deduplicate on their own, identically on all gateways.
    groups.take(message);
    jobs.take(message, offset);
    const audience = audiences.of(message.topic);
    const isRetained = isToBeRetained(message);
    // Also a second copy, which may have a stamp of its own and must not be missed.
    if (isRetained) {
      retained.passed(message);
      audience?.passed(message.retention.stamp);
    }
    if (isSecondCopy(message)) {
      metrics.secondCopies++;
      return;
    }
    if (audience === undefined) return;
    const delivered = isRetained ? deliverRetained(message, audience) : deliver(message, audience);
    metrics.deliveries += delivered;
    activity?.add(audience.projectId, 'messagesOut', delivered);
  };
};

const isToBeRetained = (message: LiveMessage): message is RetainedMessage => message.retention !== undefined;

const deliver = (message: LiveMessage, { plain, asking }: Audience): number => {
  const { filters, publisher } = message;
  const frames = new MessageFrames(message);
  const matching = plain.matching(filters);
  let deliveries = 0;
  if (plain.unfiltered.length + matching.length > 0) {
    deliveries += pushToOthers(frames.plain, plain.unfiltered, publisher);
    deliveries += pushToOthers(frames.plain, matching, publisher);
  }
  if (!asking.isEmpty) {
    deliveries += pushAsAsked(frames, asking.unfiltered, message);
    deliveries += pushAsAsked(frames, asking.matching(filters), message);
  }
  return deliveries;
};

/** To subscribers that ask for nothing: the loop that most messages take. */
const pushToOthers = (frame: Buffer, subscribers: readonly Subscriber[], publisher: string): number => {
  let deliveries = 0;
  for (const { actorTokenId, outbox } of subscribers) {
    if (actorTokenId === publisher) continue;
    outbox.push(frame);
    deliveries++;
  }
  return deliveries;
};

const pushAsAsked = (
  frames: MessageFrames,
  subscribers: readonly Subscriber[],
  message: LiveMessage,
): number => {
  let deliveries = 0;
  for (const subscriber of subscribers) {
    if (!subscriber.getsLive(message)) continue;
    subscriber.deliver(frames.for(subscriber), message);
    deliveries++;
  }
  return deliveries;
};

/** [WS-RETAIN-3] Subscribers that were sent this message, or a newer one, as the last value do not get it again. */
const deliverRetained = (message: RetainedMessage, audience: Audience): number => {
  const value = { stamp: message.retention.stamp, id: message.id };
  const { plain, asking } = audience;
  const missing = [plain, asking]
    .flatMap((part) => [...part.unfiltered, ...part.matching(message.filters)])
    .filter((one) => one.needsLive(value));
  for (const subscriber of missing) subscriber.sentLive(value);
  return pushAsAsked(new MessageFrames(message), missing, message);
};

/** The messages of the rooms in which this gateway has subscribers or members of worker groups. */
export class RoomFeed {
  private readonly bus: Pick<MessageBus, 'read'>;
  private reader: ChannelReader | undefined;

  constructor(bus: Pick<MessageBus, 'read'>) {
    this.bus = bus;
  }

  /** Must be called before the first `subscribe`. */
  async start(deliver: (record: RoomRecord, offset: number) => void): Promise<void> {
    this.reader = await this.bus.read(roomRecords, { interest: 'subscribed' }, deliver);
  }

  /** Once it resolves, this gateway receives every message of the room until `unsubscribe` was called as often. */
  async subscribe(room: string): Promise<void> {
    await this.reader?.subscribe(room);
  }

  unsubscribe(room: string): void {
    this.reader?.unsubscribe(room);
  }

  /** Kept messages of the room that are still to be delivered have this offset or a higher one, those that were delivered a lower one. */
  next(room: string): number | undefined {
    return this.reader?.next(room);
  }

  async close(): Promise<void> {
    await this.reader?.close();
  }
}
