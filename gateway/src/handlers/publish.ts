import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { maxDataBytes } from '@roomwire/shared/wire/protocol/limits';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { TopicAccess } from '../access/topicAccess.js';
import type { GatewayCore } from '../core.js';
import type { ProjectUsage } from '../limits/usageLedger.js';
import { filterError } from '../policy/filters.js';
import type { Session } from '../session/session.js';
import type { Handler, Outcome } from './handler.js';

type PublishStep = (frame: PublishFrame) => ProtocolErrorName | undefined;

/** [WS-PUB-6] First, because a client over its rate must cost next to nothing. */
const withinRate = ({ published, refused }: Session, { options, clock }: GatewayCore): boolean => {
  const now = clock.monotonic();
  return options.publishRate === 0 || !(published.isFull(now) || refused.isFull(now));
};

/** [WS-PUB-5] */
const withinSize: PublishStep = ({ data }) => (data.length > maxDataBytes ? 'messageTooLarge' : undefined);

/** [WS-FILTER-2] */
const withSoundFilters: PublishStep = ({ filter, filters }) =>
  filter === undefined && filters.length === 0
    ? undefined
    : filterError(filter === undefined ? filters : [filter, ...filters]);

const steps = [withinSize, withSoundFilters] as const;

export const publish: Handler<'publish'> = (session, frame, core) => {
  if (!withinRate(session, core)) return 'rateLimited';
  for (const step of steps) {
    const error = step(frame);
    if (error) return refused(session, error, core);
  }
  const access = session.access(core.directory, frame.topic);
  return access instanceof Promise
    ? access.then((found) => accept(session, frame, found, core))
    : accept(session, frame, access, core);
};

/** [WS-PUB-6] What is refused counts too, in a window of its own: an absent topic costs a look-up each time. */
const refused = (
  session: Session,
  error: ProtocolErrorName,
  { options, clock }: GatewayCore,
): ProtocolErrorName => {
  if (options.publishRate > 0) session.refused.add(clock.monotonic());
  return error;
};

const accept = (
  session: Session,
  frame: PublishFrame,
  access: TopicAccess | undefined,
  core: GatewayCore,
): Outcome => {
  if (!access?.mayPublish) return refused(session, 'unknownTopic', core);
  const usage = core.usageLedger.of(session.identity);
  return usage.mustBeRead
    ? core.usageLedger.read(usage).then(() => send(session, frame, access, usage, core))
    : send(session, frame, access, usage, core);
};

/** [WS-PUB-9] Last, because only what is accepted counts. */
const send = (
  session: Session,
  frame: PublishFrame,
  access: TopicAccess,
  usage: ProjectUsage,
  core: GatewayCore,
): Outcome => {
  if (!usage.hasRoom) return refused(session, 'quotaExceeded', core);
  if (core.options.publishRate > 0) session.published.add(core.clock.monotonic());
  return core.publishToBus(session, frame, access, usage);
};
