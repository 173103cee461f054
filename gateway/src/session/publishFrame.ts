import type { Clock } from '@roomwire/shared/ports/clock';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { maxDataBytes } from '@roomwire/shared/wire/protocol/limits';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { TopicAccess } from '../access/topicAccess.js';
import type { PublishToBus } from '../fanout/publishToBus.js';
import type { LeaseOutcome } from '../limits/leaseTerms.js';
import type { ProjectUsage, UsageLedger } from '../limits/usageLedger.js';
import { filterError } from '../policy/filters.js';
import type { Session } from './session.js';

export interface PublishFrameDeps {
  readonly clock: Clock;
  readonly usageLedger: Pick<UsageLedger, 'of' | 'read'>;
  readonly publishToBus: PublishToBus;
}

type PublishOutcome = ProtocolErrorName | void | Promise<ProtocolErrorName | void>;

/** Checks a publish in the specified order. Returns a promise only to wait for the read models, the bus or other gateways. */
export const createPublishHandler = ({ clock, usageLedger, publishToBus }: PublishFrameDeps) => {
  const refuse = (session: Session, error: ProtocolErrorName): ProtocolErrorName => {
    session.publishRate?.countRefused(clock.monotonic());
    return error;
  };

  const admitted = (
    outcome: LeaseOutcome,
    session: Session,
    frame: PublishFrame,
    access: TopicAccess,
    usage: ProjectUsage,
  ): PublishOutcome => {
    if (outcome === 'full') return refuse(session, 'quotaExceeded');
    if (outcome === 'unavailable') return 'brokerUnavailable';
    // It may have ended while other gateways were asked.
    if (session.isOver) return usage.end(false);
    session.publishRate?.countAccepted(clock.monotonic());
    return publishToBus(session.publisher, frame, access, usage);
  };

  /** [WS-PUB-9] Last, because only what is accepted counts. */
  const send = (
    session: Session,
    frame: PublishFrame,
    access: TopicAccess,
    usage: ProjectUsage,
  ): PublishOutcome => {
    const outcome = usage.admit();
    return outcome instanceof Promise
      ? outcome.then((known) => admitted(known, session, frame, access, usage))
      : admitted(outcome, session, frame, access, usage);
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
