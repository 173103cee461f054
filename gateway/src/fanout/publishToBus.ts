import { liveMessages, type LiveMessage } from '@roomwire/shared/contracts/bus/liveMessage';
import type { PublishFrame } from '@roomwire/shared/contracts/protocol/clientFrames';
import { messageBody } from '@roomwire/shared/contracts/protocol/serverFrames';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { TopicAccess } from '../access/topicAccess.js';
import type { GatewayMetrics } from '../metrics.js';
import type { Session } from '../session/session.js';

/** Publishes of one connection that the bus may owe an answer for before its next frame has to wait. */
const maxUnacknowledged = 1_000;

/** Resolves at once, in effect: a promise comes back only to slow down a connection that is far ahead of the bus. */
export type PublishToBus = (
  session: Session,
  frame: PublishFrame,
  access: TopicAccess,
) => Promise<void> | undefined;

export const createPublishToBus =
  (bus: MessageBus, metrics: GatewayMetrics, logger: Logger): PublishToBus =>
  (session, frame, access) => {
    metrics.publishes++;
    session.unacknowledged++;
    const acknowledgement = frame.qos === 0 ? 'none' : 'stored';
    const sent = bus.send(liveMessages, liveMessage(session, frame, access), acknowledgement).then(
      () => acknowledge(session, frame),
      (error: unknown) => {
        session.unacknowledged--;
        logger.warn('A publish did not reach the bus', { room: access.room, error });
        session.link.refuse('brokerUnavailable', frame);
      },
    );
    return session.unacknowledged > maxUnacknowledged ? sent : undefined;
  };

const liveMessage = (session: Session, frame: PublishFrame, access: TopicAccess): LiveMessage => {
  const { data, filter, filters, qos } = frame;
  return {
    room: access.room,
    topic: access.topic,
    projectId: session.identity.projectId,
    publisher: session.identity.actorTokenId,
    qos,
    filters: filter === undefined ? filters : [filter, ...filters],
    body: messageBody(access.messageHead, data, filter),
  };
};

/** [WS-PUB-4] Protocol 1 knows no `published`. */
const acknowledge = (session: Session, { topic, msgRef }: PublishFrame): void => {
  session.unacknowledged--;
  if (msgRef === undefined || session.identity.version === 1) return;
  session.link.send({ type: 'published', topic, msgRef });
};
