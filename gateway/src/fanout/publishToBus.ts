import {
  liveMessages,
  retainedMessages,
  type LiveMessage,
  type Retention,
} from '@roomwire/shared/contracts/bus/liveMessage';
import type { PublishFrame } from '@roomwire/shared/contracts/protocol/clientFrames';
import { messageBody } from '@roomwire/shared/contracts/protocol/serverFrames';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Acknowledgement, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { TopicAccess } from '../access/topicAccess.js';
import type { GatewayMetrics } from '../metrics.js';
import type { RecordMessage } from '../recording/recorder.js';
import { RecordingLine } from '../recording/recordingLine.js';
import type { RetainStamps } from '../retained/retainStamps.js';
import type { Session } from '../session/session.js';
import type { MessageIds } from './messageIds.js';

/** Publishes of one connection that the bus may owe an answer for before its next frame has to wait. */
const maxUnacknowledged = 1_000;

/**
 * Resolves at once, in effect: a promise comes back only to slow down a connection that is far ahead of the bus, and where
 * the next frame must not overtake this one.
 */
export type PublishToBus = (
  session: Session,
  frame: PublishFrame,
  access: TopicAccess,
) => Promise<void> | undefined;

type SendMessage = (...publish: [...Parameters<PublishToBus>, LiveMessage]) => ReturnType<PublishToBus>;

interface PublishDeps {
  readonly bus: MessageBus;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  readonly stamps: RetainStamps;
  readonly ids: MessageIds;
  /** Whether subscribers get them. */
  readonly showsIds: boolean;
  readonly record: RecordMessage;
}

export const createPublishToBus = (deps: PublishDeps): PublishToBus => {
  const { bus, metrics, logger, stamps, ids, showsIds, record } = deps;

  const failed = (session: Session, frame: PublishFrame, error: unknown): void => {
    session.unacknowledged--;
    logger.warn('A publish did not reach the bus', { topic: frame.topic, error });
    session.link.refuse('brokerUnavailable', frame);
  };

  const sendLive = (session: Session, frame: PublishFrame, message: LiveMessage): Promise<void> =>
    bus.send(liveMessages, message, acknowledgementOf(frame)).then(
      () => acknowledge(session, frame),
      (error: unknown) => failed(session, frame, error),
    );

  /** [WS-RETAIN-1] As the last value first: who joins when it has gone by live then finds it there. */
  const retain = async (
    session: Session,
    frame: PublishFrame,
    access: TopicAccess,
    live: LiveMessage,
  ): Promise<void> => {
    const message = { ...live, retention: retentionOf(session, access, stamps.next()) };
    try {
      await bus.send(retainedMessages, message, acknowledgementOf(frame));
    } catch (error) {
      return failed(session, frame, error);
    }
    void sendLive(session, frame, message);
  };

  const send: SendMessage = (session, frame, access, message) => {
    if (frame.retain) return retain(session, frame, access, message);
    const sent = sendLive(session, frame, message);
    return session.unacknowledged > maxUnacknowledged ? sent : undefined;
  };

  return (session, frame, access) => {
    metrics.publishes++;
    session.unacknowledged++;
    const message = liveMessage(ids.next(), session, frame, access, showsIds);
    const recorded = record(message, access.recordedFor);
    if (recorded === undefined && (session.line?.isEmpty ?? true)) {
      return send(session, frame, access, message);
    }
    const line = (session.line ??= new RecordingLine());
    const turn = line.add(
      message.body.length,
      recorded,
      () => send(session, frame, access, message),
      (error) => failed(session, frame, error),
    );
    return line.isFull || session.unacknowledged > maxUnacknowledged ? turn : undefined;
  };
};

const acknowledgementOf = ({ qos }: PublishFrame): Acknowledgement => (qos === 0 ? 'none' : 'stored');

const liveMessage = (
  id: string,
  session: Session,
  frame: PublishFrame,
  access: TopicAccess,
  showsId: boolean,
): LiveMessage => {
  const { data, filter, filters, qos } = frame;
  return {
    id,
    room: access.room,
    topic: access.topic,
    projectId: session.identity.projectId,
    publisher: session.identity.actorTokenId,
    qos,
    filters: filter === undefined ? filters : [filter, ...filters],
    body: messageBody(access.messageHead, data, filter, showsId ? id : undefined),
    retention: undefined,
  };
};

const retentionOf = ({ identity }: Session, { place }: TopicAccess, stamp: string): Retention => ({
  stamp,
  appId: place.app.value.appId,
  roomId: place.room.value.roomId,
  accessScopeId: identity.accessScope?.accessScopeId ?? null,
});

/** [WS-PUB-4] Protocol 1 knows no `published`. */
const acknowledge = (session: Session, { topic, msgRef }: PublishFrame): void => {
  session.unacknowledged--;
  if (msgRef === undefined || session.identity.version === 1) return;
  session.link.send({ type: 'published', topic, msgRef });
};
