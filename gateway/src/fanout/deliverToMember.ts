import { binaryFrame } from '@roomwire/shared/contracts/protocol/wsFrame';
import type { GatewayMetrics } from '../metrics.js';
import type { DeliverToMember } from './hub.js';

/** [WS-GROUP-2] A message that is this member's alone. */
export const createDeliveryToMembers =
  (metrics: GatewayMetrics): DeliverToMember =>
  ({ session }, { body }) => {
    session.link.outbox.push(binaryFrame(body));
    metrics.deliveries++;
  };
