import { binaryFrame } from '@roomwire/shared/contracts/protocol/wsFrame';
import type { GatewayMetrics } from '../metrics.js';
import { Outstanding, type AckHooks } from '../recording/outstanding.js';
import type { MemberDelivery } from './hub.js';

/** [WS-ACK-3] A message is done when the client has acknowledged it, or when nobody waits for that any more. */
const hooks: AckHooks = {
  onAcked: (subscription, msgId) => subscription.membership?.done([msgId]),
  onForgotten: (subscription, msgId) => subscription.membership?.done([msgId]),
};

/** [WS-GROUP-2] Messages that are one member's alone. */
export const createMemberDelivery = (metrics: GatewayMetrics, acks: boolean): MemberDelivery => ({
  acks,
  deliver(subscription, { id, body }) {
    const { session } = subscription;
    if (acks) (session.outstanding ??= new Outstanding(hooks)).delivered(subscription, id);
    session.link.outbox.push(binaryFrame(body));
    metrics.deliveries++;
  },
  left: (subscription) => void subscription.session.outstanding?.drop(subscription),
});
