import type { Buffer } from 'node:buffer';
import type { LiveMessage } from '@roomwire/shared/contracts/bus/liveMessage';
import { binaryFrame } from '@roomwire/shared/contracts/protocol/wsFrame';
import type { GatewayMetrics } from '../metrics.js';
import { matchesFilters } from '../policy/filters.js';
import type { Hub, Subscription } from './hub.js';

/**
 * [WS-PUB-2] Hands a message to every local subscriber but its publisher. The frame is made once, whatever their
 * number, and nothing here waits for anybody.
 */
export const createDelivery =
  (hub: Hub, metrics: GatewayMetrics) =>
  (message: LiveMessage): void => {
    const subscribers = hub.subscribers(message.topic);
    if (subscribers === undefined) return;
    let frame: Buffer | undefined;
    const { publisher } = message;
    const filters = new Set(message.filters);
    for (const subscription of subscribers) {
      if (!wants(subscription, publisher, filters)) continue;
      frame ??= binaryFrame(message.body);
      subscription.session.link.outbox.push(frame);
      metrics.deliveries++;
    }
  };

const wants = (
  { session, filters }: Subscription,
  publisher: string,
  onMessage: ReadonlySet<string>,
): boolean =>
  session.identity.actorTokenId !== publisher &&
  (filters === undefined || matchesFilters(filters, onMessage));
