import type { Buffer } from 'node:buffer';
import type { LiveMessage } from '@roomwire/shared/contracts/bus/liveMessage';
import { binaryFrame } from '@roomwire/shared/contracts/protocol/wsFrame';
import type { GatewayMetrics } from '../metrics.js';
import type { Hub } from './hub.js';
import type { Subscription } from './subscription.js';

/**
 * [WS-PUB-2] Hands a message to every local subscriber but its publisher. The frame is made once, whatever their
 * number, and nothing here waits for anybody.
 */
export const createDelivery =
  (hub: Hub, metrics: GatewayMetrics) =>
  (message: LiveMessage): void => {
    const audience = hub.audience(message.topic);
    if (audience === undefined) return;
    const { publisher, filters } = message;
    const { unfiltered } = audience;
    const matching = filters.length === 0 ? nobody : audience.matching(filters);
    if (unfiltered.length + matching.length === 0) return;
    const frame = binaryFrame(message.body);
    metrics.deliveries += deliver(frame, unfiltered, publisher) + deliver(frame, matching, publisher);
  };

const nobody: readonly Subscription[] = [];

const deliver = (frame: Buffer, subscriptions: readonly Subscription[], publisher: string): number => {
  let deliveries = 0;
  for (const { session } of subscriptions) {
    if (session.identity.actorTokenId === publisher) continue;
    session.link.outbox.push(frame);
    deliveries++;
  }
  return deliveries;
};
