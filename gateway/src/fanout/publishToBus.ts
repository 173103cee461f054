import { Buffer } from 'node:buffer';
import {
  liveMessages,
  retainedMessages,
  type LiveMessage,
  type Retention,
} from '@roomwire/shared/wire/bus/liveMessage';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { messageBody } from '@roomwire/shared/wire/protocol/serverFrames';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Acknowledgement, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Span, Tracing } from '@roomwire/shared/ports/tracing';
import type { TraceParent } from '@roomwire/shared/wire/bus/channel';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Random } from '@roomwire/shared/ports/random';
import type { TopicAccess } from '../access/topicAccess.js';
import type { ProjectUsage } from '../limits/usageLedger.js';
import type { GatewayMetrics } from '../metrics.js';
import type { Session } from '../session/session.js';
import type { Trigger } from '../webhooks/webhookCalls.js';
import { RecordingLine, type RecordMessage } from './recording.js';
import type { RetainStamps } from './retainedValues.js';
import { beginPublish } from './traceMessages.js';

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
  usage: ProjectUsage,
) => Promise<void> | undefined;

/** A publish on its way, with those who hang on its outcome. */
interface Publish {
  readonly session: Session;
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
  readonly trigger: Trigger;
}

export const createPublishToBus = (deps: PublishDeps): PublishToBus => {
  const { bus, metrics, logger, stamps, ids, showsIds, record, trigger, tracing } = deps;

  const failed = ({ session, frame, usage, span }: Publish, error: unknown): void => {
    span?.end(error);
    usage.end(false);
    session.unacknowledged--;
    logger.warn('A publish did not reach the bus', { topic: frame.topic, error });
    session.link.sendError('brokerUnavailable', frame);
  };

  const succeeded = ({ session, frame, usage, span }: Publish): void => {
    span?.end();
    usage.end(true);
    session.unacknowledged--;
    acknowledge(session, frame);
  };

  const sendLive = (publish: Publish, message: LiveMessage): Promise<void> => {
    const { session, frame, access, span } = publish;
    const sent = bus.send(liveMessages, message, acknowledgementOf(frame));
    // [HOOK-TRIGGER-2] `published` promises the call too.
    const called = trigger(session, frame, access, span?.traceparent);
    return (called === undefined ? sent : Promise.all([sent, called])).then(
      () => succeeded(publish),
      (error: unknown) => failed(publish, error),
    );
  };

  /** [WS-RETAIN-1] As the last value first: who joins when it has gone by live then finds it there. */
  const retain = async (publish: Publish): Promise<void> => {
    const { session, frame, access, message } = publish;
    const retained = { ...message, retention: retentionOf(session, access, stamps.next()) };
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
    return publish.session.unacknowledged > maxUnacknowledged ? sent : undefined;
  };

  return (session, frame, access, usage) => {
    metrics.publishes++;
    session.unacknowledged++;
    usage.begin();
    const span = tracing && beginPublish(tracing, session, frame);
    const message = liveMessage(ids.next(), session, frame, access, showsIds, span?.traceparent);
    const publish = { session, frame, access, usage, message, span };
    const recorded = record(message, access.recordedFor);
    if (recorded === undefined && (session.line?.isEmpty ?? true)) return send(publish);
    const line = (session.line ??= new RecordingLine());
    const turn = line.add(
      message.body.length,
      recorded,
      () => send(publish),
      (error) => failed(publish, error),
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
  traceparent: TraceParent | undefined,
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
    traceparent,
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
  if (msgRef === undefined || session.identity.version === 1) return;
  session.link.send({ type: 'published', topic, msgRef });
};

const timeDigits = 9;
const makerBytes = 12;

/** Two digits of base 36: a count is put together of them, because to format a number costs more than all the rest. */
const pairs = Array.from({ length: 36 * 36 }, (_, n) => n.toString(36).padStart(2, '0'));
/** Of one millisecond; the count has four digits. */
const maxCount = pairs.length ** 2;

/**
 * Ids of messages, unique over all gateways and their restarts: the time, how many came before in the same millisecond,
 * and who made them. As text they sort by time, those of one gateway in the order in which they were made.
 */
export class MessageIds {
  private readonly clock: Clock;
  private readonly maker: string;
  private last = -1;
  private time = '';
  private count = 0;

  constructor(clock: Clock, random: Random) {
    this.clock = clock;
    this.maker = `.${Buffer.from(random.bytes(makerBytes)).toString('base64url')}`;
  }

  next(): string {
    const now = this.clock.now();
    // A clock that was set back must not make an id twice.
    if (now > this.last) this.begin(now);
    else if (this.count === maxCount) this.begin(this.last + 1);
    const count = this.count++;
    return this.time + pairs[Math.floor(count / pairs.length)] + pairs[count % pairs.length] + this.maker;
  }

  private begin(time: number): void {
    this.last = time;
    this.time = time.toString(36).padStart(timeDigits, '0');
    this.count = 0;
  }
}
