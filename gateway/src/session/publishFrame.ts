import type { Clock } from '@roomwire/shared/ports/clock';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { maxDataBytes } from '@roomwire/shared/wire/protocol/limits';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { TopicAccess } from '../access/topicAccess.js';
import type { PublishToBus } from '../fanout/publishToBus.js';
import type { ProjectUsage, UsageLedger } from '../limits/usageLedger.js';
import { filterError } from '../policy/filters.js';
import type { Session } from './session.js';

export interface PublishFrameDeps {
  readonly clock: Clock;
  readonly usageLedger: Pick<UsageLedger, 'of' | 'read'>;
  readonly publishToBus: PublishToBus;
}

type PublishOutcome = ProtocolErrorName | void | Promise<ProtocolErrorName | void>;

/** Checks a publish in the specified order. Returns a promise only to wait for the read models or the bus. */
export const createPublishHandler = ({ clock, usageLedger, publishToBus }: PublishFrameDeps) => {
  const refuse = (session: Session, error: ProtocolErrorName): ProtocolErrorName => {
    session.publishRate?.countRefused(clock.monotonic());
    return error;
  };

  /** [WS-PUB-9] Last, because only what is accepted counts. */
  const send = (
    session: Session,
    frame: PublishFrame,
    access: TopicAccess,
    usage: ProjectUsage,
  ): PublishOutcome => {
    if (!usage.isWithinQuota) return refuse(session, 'quotaExceeded');
    session.publishRate?.countAccepted(clock.monotonic());
    return publishToBus(session.publisher, frame, access, usage);
  };

  const withAccess = (
    session: Session,
    frame: PublishFrame,
    access: TopicAccess | undefined,
  ): PublishOutcome => {
    if (!access?.mayPublish) return refuse(session, 'unknownTopic');
    const usage = usageLedger.of(session.identity);
    return usage.mustBeRead
      ? usageLedger.read(usage).then(() => send(session, frame, access, usage))
      : send(session, frame, access, usage);
  };

  return (session: Session, frame: PublishFrame): PublishOutcome => {
    // First, because rejecting a client over its rate must be cheap.
    if (session.publishRate?.isExceeded(clock.monotonic())) return 'rateLimited';
    const error = sizeError(frame) ?? publishFilterError(frame);
    if (error) return refuse(session, error);
    const access = session.access(frame.topic);
    return access instanceof Promise
      ? access.then((found) => withAccess(session, frame, found))
      : withAccess(session, frame, access);
  };
};

/** [WS-PUB-5] */
const sizeError = ({ data }: PublishFrame): ProtocolErrorName | undefined =>
  data.length > maxDataBytes ? 'messageTooLarge' : undefined;

/** [WS-FILTER-2] */
const publishFilterError = ({ filter, filters }: PublishFrame): ProtocolErrorName | undefined => {
  if (filter === undefined) return filters.length === 0 ? undefined : filterError(filters);
  return filterError([filter, ...filters]);
};
