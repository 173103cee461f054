import { setTimeout as pause } from 'node:timers/promises';
import { replayedBody } from '@roomwire/shared/wire/protocol/serverFrames';
import { binaryFrame } from '@roomwire/shared/wire/protocol/wsFrame';
import type { MemberReplay } from '../groups/workerGroups.js';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import type { GatewayMetrics } from '../metrics.js';
import { replayLimit } from '../policy/topicConfig.js';
import { Outstanding, type AckHooks } from '../recording/outstanding.js';
import type { MemberDelivery } from './hub.js';
import type { Subscription } from './subscription.js';
import { beginDelivery } from './traceMessages.js';

/** [WS-ACK-3] A message is done when the client has acknowledged it, or when nobody waits for that any more. */
const hooks: AckHooks = {
  onAcked: (subscription, msgId) => subscription.membership?.done([msgId]),
  onForgotten: (subscription, msgId) => subscription.membership?.done([msgId]),
};

/** Of what was recorded, so much is under way to a reader at once. */
const replayAheadBytes = 1024 * 1024;
const lookMs = 10;

/** [WS-GROUP-2] Messages that are one member's alone. */
export const createMemberDelivery = (
  metrics: GatewayMetrics,
  acks: boolean,
  tracing?: Tracing,
): MemberDelivery => {
  const push = (subscription: Subscription, id: string, body: Uint8Array): void => {
    const { session } = subscription;
    if (acks) (session.outstanding ??= new Outstanding(hooks)).delivered(subscription, id);
    session.link.outbox.push(binaryFrame(body));
    metrics.deliveries++;
  };

  /** [WS-GROUP-10] */
  const replay = (subscription: Subscription): MemberReplay => {
    const { link } = subscription.session;
    return {
      limit: () => {
        const { topic, place } = subscription.access;
        return replayLimit(place.app.value.topicConfigs, topic.slice(topic.lastIndexOf('/') + 1));
      },
      begin: (count) => link.send({ type: 'replayStart', count }),
      give: ({ id, body }) => push(subscription, id, replayedBody(body)),
      end: (replayed) => link.send({ type: 'replayEnd', replayed }),
      async room(isOver) {
        while (link.outbox.waitingBytes > replayAheadBytes && !isOver()) {
          await pause(lookMs, undefined, { ref: false });
        }
      },
    };
  };

  return {
    acks,
    replay,
    deliver: (subscription, message) => {
      const span = tracing && beginDelivery(tracing, 'deliver to group member', message);
      push(subscription, message.id, message.body);
      span?.end();
    },
    left: (subscription) => void subscription.session.outstanding?.drop(subscription),
  };
};
