import type { Clock } from '@roomwire/shared/ports/clock';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { TopicAccess } from '../access/topicAccess.js';
import { frameError, scheduleError } from '../policy/publishes.js';
import type { Publish } from '../publishing/publish.js';
import type { Session } from './session.js';

export interface PublishFrameDeps {
  readonly clock: Clock;
  readonly publish: Publish;
}

type PublishOutcome = ProtocolErrorName | void | Promise<ProtocolErrorName | void>;

/** Checks a publish in the specified order. Returns a promise only to wait for the read models, the bus or other gateways. */
export const createPublishHandler = ({ clock, publish }: PublishFrameDeps) => {
  const refuse = (session: Session, error: ProtocolErrorName): ProtocolErrorName => {
    session.publishRate?.countRefused(clock.monotonic());
    return error;
  };

  const withAccess = (
    session: Session,
    frame: PublishFrame,
    access: TopicAccess | undefined,
  ): PublishOutcome => {
    if (!access?.mayPublish) return refuse(session, 'unknownTopic');
    return publish(session.publisher, { author: session.identity, frame, access });
  };

  return (session: Session, frame: PublishFrame): PublishOutcome => {
    // First, because rejecting a client over its rate must be cheap.
    if (session.publishRate?.isExceeded(clock.monotonic())) return 'rateLimited';
    // [WS-OBS-3]
    if (session.identity.observes) return refuse(session, 'observerReadOnly');
    const error = frameError(frame) ?? scheduleError(frame, clock.now());
    if (error) return refuse(session, error);
    const access = session.access(frame.topic);
    return access instanceof Promise
      ? access.then((found) => withAccess(session, frame, found))
      : withAccess(session, frame, access);
  };
};
