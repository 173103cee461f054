import { liveMessages, retainedMessages, type LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { RetainedMeta } from '@roomwire/shared/wire/bus/liveMessage';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { messageBody } from '@roomwire/shared/wire/protocol/encodeFrames';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Acknowledgement, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Span, Tracing } from '@roomwire/shared/ports/tracing';
import type { TraceParent } from '@roomwire/shared/wire/bus/channel';
import type { Author } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import type { ProjectUsage } from '../limits/projectUsage.js';
import type { GatewayMetrics } from '../metrics.js';
import { tellsPosition, type Trigger } from '../webhooks/webhookCalls.js';
import type { MessageIds } from './messageIds.js';
import type { Publisher } from './publisher.js';
import type { PublishClaims, WonClaim } from './publishClaims.js';
import type { RecordMessage } from './recording.js';
import type { RetainStamps } from '../fanout/retainedValues.js';
import { beginPublish } from '../fanout/traceMessages.js';

/** A publish that `usage` has admitted. */
export interface AdmittedPublish {
  readonly author: Author;
  readonly frame: PublishFrame;
  readonly access: TopicAccess;
  readonly usage: Pick<ProjectUsage, 'end'>;
  /** Of the id that its publisher gave it; undefined for none. */
  readonly claim: WonClaim | undefined;
  /** What its message is called, where that was decided before. */
  readonly messageId?: string;
}

/**
 * Publishes what was admitted, and answers. Returns a promise only to slow down a publisher that is far ahead of the bus, and where
 * the next frame must not overtake this one.
 */
export type PublishToBus = (publisher: Publisher, admitted: AdmittedPublish) => Promise<void> | undefined;

/** A publish in flight and the actions that depend on its outcome. */
interface Publish extends AdmittedPublish {
  readonly publisher: Publisher;
  readonly message: LiveMessage;
  /** Undefined where it is not traced. */
  readonly span: Span | undefined;
}

interface PublishDeps {
  readonly tracing: Tracing | undefined;
  readonly bus: MessageBus;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  readonly stamps: RetainStamps;
  readonly ids: MessageIds;
  /** Whether subscribers get them. */
  readonly showsIds: boolean;
  readonly record: RecordMessage;
  readonly trigger: Trigger;
  readonly claims: Pick<PublishClaims, 'sent' | 'givenUp'>;
  readonly jobs: StoredJobs;
}

/** Where a message that the bus has handed over is also a job. */
export interface StoredJobs {
  /** Whether messages of the topic have to be waited for. */
  collects(topic: string): boolean;
  /** Resolves when those that were handed over are durable. */
  stored(topic: string): Promise<void>;
}

export const createPublishToBus = (deps: PublishDeps): PublishToBus => {
  const { bus, metrics, logger, stamps, ids, showsIds, record, trigger, tracing, claims, jobs } = deps;

  const failed = async ({ publisher, frame, usage, span, claim }: Publish, error: unknown): Promise<void> => {
    span?.end(error);
    usage.end(false);
    logger.warn('A publish did not reach the bus', { topic: frame.topic, error });
    if (claim !== undefined) await claims.givenUp(claim);
    publisher.end();
    publisher.answers.refused(frame, 'brokerUnavailable');
  };

  const answer = ({ publisher, frame, message }: Publish, offset: number): void => {
    publisher.end();
    publisher.answers.accepted(frame, { messageId: message.id, isDuplicate: false, offset });
  };

  const succeeded = (publish: Publish, offset: number): void | Promise<void> => {
    const { usage, span, claim } = publish;
    span?.end();
    usage.end(true);
    if (claim === undefined) return answer(publish, offset);
    return claims.sent(claim).then(() => answer(publish, offset));
  };

  /** [WS-JOB-4] */
  const sendDurably = (message: LiveMessage, acknowledgement: Acknowledgement): Promise<number> => {
    const sent = bus.send(liveMessages, message, acknowledgement);
    if (acknowledgement === 'none' || !jobs.collects(message.topic)) return sent;
    return sent.then(async (offset) => {
      await jobs.stored(message.topic);
      return offset;
    });
  };

  const sendLive = (publish: Publish, message: LiveMessage): Promise<void> => {
    const { author, frame, access, span } = publish;
    const acknowledgement = tellsPosition(access) ? 'stored' : acknowledgementOf(frame);
    const sent = sendDurably(message, acknowledgement);
    // [HOOK-TRIGGER-2] `published` covers the call too.
    const traceparent = span?.traceparent;
    const called = trigger({ author, frame, access, traceparent, sent, messageId: message.id });
    return (called === undefined ? sent : Promise.all([sent, called]).then(([offset]) => offset)).then(
      (offset) => succeeded(publish, offset),
      (error: unknown) => failed(publish, error),
    );
  };

  /** [WS-RETAIN-1] First as the last value, so that a subscriber that joins after the live delivery finds it there. */
  const retain = async (publish: Publish): Promise<void> => {
    const { author, frame, access, message } = publish;
    const retained = { ...message, retention: retainedMetaOf(author, access, stamps.next()) };
    try {
      await bus.send(retainedMessages, retained, acknowledgementOf(frame));
    } catch (error) {
      return failed(publish, error);
    }
    void sendLive(publish, retained);
  };

  const send = (publish: Publish): Promise<void> | undefined => {
    if (publish.frame.retain) return retain(publish);
    const sent = sendLive(publish, publish.message);
    return publish.publisher.isFarAhead ? sent : undefined;
  };

  return (publisher, admitted) => {
    const { author, frame, access, usage, claim } = admitted;
    metrics.publishes++;
    publisher.begin();
    const span = tracing && beginPublish(tracing, author, frame);
    const messageId = admitted.messageId ?? claim?.messageId ?? ids.next(publisher.mark);
    const message = liveMessage(messageId, admitted, showsIds, span?.traceparent);
    const publish = { author, frame, access, usage, claim, publisher, message, span };
    const recorded = record(message, access.recordedFor);
    if (recorded === undefined && publisher.waitingForRecord === undefined) return send(publish);
    const line = publisher.recordLine;
    const turn = line.add(
      message.body.length,
      recorded,
      () => send(publish),
      (error) => failed(publish, error),
    );
    return line.isFull || publisher.isFarAhead ? turn : undefined;
  };
};

const acknowledgementOf = ({ qos }: PublishFrame): Acknowledgement => (qos === 0 ? 'none' : 'stored');

const liveMessage = (
  id: string,
  { author: { projectId, actorTokenId }, frame, access }: AdmittedPublish,
  showsId: boolean,
  traceparent: TraceParent | undefined,
): LiveMessage => {
  const { data, filter, filters, qos } = frame;
  return {
    id,
    room: access.room,
    topic: access.topic,
    projectId,
    publisher: actorTokenId,
    qos,
    filters: filter === undefined ? filters : [filter, ...filters],
    body: messageBody(access.messageHead, data, filter, showsId ? id : undefined),
    retention: undefined,
    kept: access.history?.kept,
    traceparent,
  };
};

const retainedMetaOf = ({ accessScope }: Author, { location }: TopicAccess, stamp: string): RetainedMeta => ({
  stamp,
  appId: location.app.value.appId,
  roomId: location.room.value.roomId,
  accessScopeId: accessScope?.accessScopeId ?? null,
});
