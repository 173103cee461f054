import { setTimeout as pause } from 'node:timers/promises';
import type { ActivitySink } from '@roomwire/shared/activity/activity';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import { topicNameOf } from '@roomwire/shared/domain/topic';
import {
  binaryFrame,
  bodyWithMeta,
  jobBody,
  replayedBody,
} from '@roomwire/shared/wire/protocol/encodeFrames';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { metaOf } from '../fanout/messageFrames.js';
import { beginDelivery } from '../fanout/traceMessages.js';
import type { MemberReplay } from '../groups/membership.js';
import type { GatewayMetrics } from '../metrics.js';
import { replayLimit } from '../policy/topicConfig.js';
import type { Member, MemberDelivery } from './memberships.js';

/** Limit of the bytes of a replay, or of jobs, that wait for a reader. */
const aheadBytes = 1024 * 1024;
const pollMs = 10;

/** [WS-GROUP-2] Delivers messages that are for one member alone. */
export const createMemberDelivery = (
  metrics: GatewayMetrics,
  acks: boolean,
  tracing?: Tracing,
  activity?: Pick<ActivitySink, 'add'>,
): MemberDelivery => {
  const delivered = ({ client }: Member): void => {
    metrics.deliveries++;
    activity?.add(client.identity.projectId, 'messagesOut');
  };

  const push = (subscription: Member, message: LiveMessage): void => {
    const { id, body } = message;
    if (acks) subscription.pendingAcks.delivered(subscription, id);
    subscription.outbox.push(binaryFrame(subscription.meta ? bodyWithMeta(body, metaOf(message)) : body));
    delivered(subscription);
  };

  /** [WS-GROUP-10] */
  const replay = (subscription: Member): MemberReplay => {
    const { client, outbox } = subscription;
    return {
      limit: () => {
        const { topic, location } = subscription.access;
        return replayLimit(location.app.value.topicConfigs, topicNameOf(topic));
      },
      begin: (count) => client.send({ type: 'replayStart', count }),
      give: (message) => push(subscription, { ...message, body: replayedBody(message.body) }),
      end: (replayed) => client.send({ type: 'replayEnd', replayed }),
      async waitForCapacity(isOver) {
        while (outbox.waitingBytes > aheadBytes && !isOver()) {
          await pause(pollMs, undefined, { ref: false });
        }
      },
    };
  };

  return {
    acks,
    replay,
    hasRoom: ({ outbox }) => outbox.waitingBytes <= aheadBytes,
    // [WS-JOB-2]
    deliverJob: (subscription, message, delivery) => {
      const { outbox, meta } = subscription;
      const span = tracing && beginDelivery(tracing, 'deliver to group member', message);
      const body = jobBody(message.body, message.id, delivery);
      outbox.push(binaryFrame(meta ? bodyWithMeta(body, metaOf(message)) : body));
      delivered(subscription);
      span?.end();
    },
    deliver: (subscription, message) => {
      const span = tracing && beginDelivery(tracing, 'deliver to group member', message);
      push(subscription, message);
      span?.end();
    },
  };
};
