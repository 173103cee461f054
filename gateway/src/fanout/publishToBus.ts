import {
  liveMessages,
  retainedMessages,
  type LiveMessage,
  type RetainedMeta,
} from '@roomwire/shared/wire/bus/liveMessage';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { messageBody } from '@roomwire/shared/wire/protocol/encodeFrames';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Acknowledgement, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Span, Tracing } from '@roomwire/shared/ports/tracing';
import type { TraceParent } from '@roomwire/shared/wire/bus/channel';
import type { TopicAccess } from '../access/topicAccess.js';
import type { ProjectUsage } from '../limits/usageLedger.js';
import type { GatewayMetrics } from '../metrics.js';
import type { Client, Identity } from '../access/client.js';
import type { MessageIds } from './messageIds.js';
import { RecordingLine, type RecordMessage } from './recording.js';
import type { RetainStamps } from './retainedValues.js';
import { beginPublish } from './traceMessages.js';

/** Limit of unacknowledged publishes per connection; beyond it the next frame waits. */
const maxUnacknowledged = 1_000;

/**
 * Publishes what `usage` has admitted. Returns a promise only to slow down a connection that is far ahead of the bus, and where
 * the next frame must not overtake this one.
 */
export type PublishToBus = (
  publisher: Publisher,
  frame: PublishFrame,
  access: TopicAccess,
  usage: ProjectUsage,
) => Promise<void> | undefined;

/** The publishes of one client that the bus has not acknowledged. */
export class Publisher {
  readonly client: Client;
  /** Publishes that wait until they are recorded; undefined until there is one. */
  line: RecordingLine | undefined;
  private unacknowledged = 0;

  constructor(client: Client) {
    this.client = client;
  }

  /** Whether its next frame has to wait. */
  get isFarAhead(): boolean {
    return this.unacknowledged > maxUnacknowledged;
  }

  begin(): void {
    this.unacknowledged++;
  }

  end(): void {
    this.unacknowledged--;
  }
}

/** A publish in flight and the actions that depend on its outcome. */
interface Publish {
  readonly publisher: Publisher;
  readonly frame: PublishFrame;
  readonly access: TopicAccess;
  readonly usage: ProjectUsage;
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
  /** Undefined without a trigger webhook; otherwise resolves when the call can no longer be lost. */
  readonly trigger: (
    identity: Identity,
    frame: PublishFrame,
    access: TopicAccess,
    traceparent: TraceParent | undefined,
  ) => Promise<void> | undefined;
}

export const createPublishToBus = (deps: PublishDeps): PublishToBus => {
  const { bus, metrics, logger, stamps, ids, showsIds, record, trigger, tracing } = deps;

  const failed = ({ publisher, frame, usage, span }: Publish, error: unknown): void => {
    span?.end(error);
    usage.end(false);
    publisher.end();
    logger.warn('A publish did not reach the bus', { topic: frame.topic, error });
    publisher.client.sendError('brokerUnavailable', frame);
  };

  const succeeded = ({ publisher, frame, usage, span }: Publish): void => {
    span?.end();
    usage.end(true);
    publisher.end();
    acknowledge(publisher.client, frame);
  };

  const sendLive = (publish: Publish, message: LiveMessage): Promise<void> => {
    const { publisher, frame, access, span } = publish;
    const sent = bus.send(liveMessages, message, acknowledgementOf(frame));
    // [HOOK-TRIGGER-2] `published` covers the call too.
    const called = trigger(publisher.client.identity, frame, access, span?.traceparent);
    return (called === undefined ? sent : Promise.all([sent, called])).then(
      () => succeeded(publish),
      (error: unknown) => failed(publish, error),
    );
  };

  /** [WS-RETAIN-1] First as the last value, so that a subscriber that joins after the live delivery finds it there. */
  const retain = async (publish: Publish): Promise<void> => {
    const { publisher, frame, access, message } = publish;
    const retained = {
      ...message,
      retention: retainedMetaOf(publisher.client.identity, access, stamps.next()),
    };
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

  return (publisher, frame, access, usage) => {
    const { identity } = publisher.client;
    metrics.publishes++;
    publisher.begin();
    const span = tracing && beginPublish(tracing, identity, frame);
    const message = liveMessage(ids.next(), publisher.client, frame, access, showsIds, span?.traceparent);
    const publish = { publisher, frame, access, usage, message, span };
    const recorded = record(message, access.recordedFor);
    if (recorded === undefined && (publisher.line?.isEmpty ?? true)) return send(publish);
    const line = (publisher.line ??= new RecordingLine());
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
  { identity: { projectId, actorTokenId }, connection }: Client,
  frame: PublishFrame,
  access: TopicAccess,
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
    connection,
    givenId: undefined,
    qos,
    filters: filter === undefined ? filters : [filter, ...filters],
    body: messageBody(access.messageHead, data, filter, showsId ? id : undefined),
    retention: undefined,
    traceparent,
  };
};

const retainedMetaOf = (
  { accessScope }: Identity,
  { location }: TopicAccess,
  stamp: string,
): RetainedMeta => ({
  stamp,
  appId: location.app.value.appId,
  roomId: location.room.value.roomId,
  accessScopeId: accessScope?.accessScopeId ?? null,
});

/** [WS-PUB-4] Protocol 1 has no `published`. */
const acknowledge = (client: Client, { topic, msgRef }: PublishFrame): void => {
  if (msgRef === undefined || client.identity.version === 1) return;
  client.send({ type: 'published', topic, msgRef });
};
