import type { PublishFrame } from '@roomwire/shared/contracts/protocol/clientFrames';
import { maxDataBytes } from '@roomwire/shared/contracts/protocol/limits';
import type { RefusalName } from '@roomwire/shared/contracts/protocol/refusals';
import type { TopicAccess } from '../access/topicAccess.js';
import type { GatewayCore } from '../core.js';
import { refusedFilters } from '../policy/filters.js';
import type { Session } from '../session/session.js';
import type { Handler, Outcome } from './handler.js';

type PublishStep = (session: Session, frame: PublishFrame, core: GatewayCore) => RefusalName | undefined;

/** [WS-PUB-6] First, because a client over its rate must cost next to nothing. */
const withinRate: PublishStep = (session, _frame, { options, clock }) =>
  options.publishRate > 0 && session.published.isFull(clock.monotonic()) ? 'rateLimited' : undefined;

/** [WS-PUB-5] */
const withinSize: PublishStep = (_session, { data }) =>
  data.length > maxDataBytes ? 'messageTooLarge' : undefined;

/** [WS-FILTER-2] */
const withSoundFilters: PublishStep = (_session, { filter, filters }) =>
  filter === undefined && filters.length === 0
    ? undefined
    : refusedFilters(filter === undefined ? filters : [filter, ...filters]);

const steps = [withinRate, withinSize, withSoundFilters] as const;

export const publish: Handler<'publish'> = (session, frame, core) => {
  for (const step of steps) {
    const refusal = step(session, frame, core);
    if (refusal) return refusal;
  }
  const access = session.access(core.directory, frame.topic);
  return access instanceof Promise
    ? access.then((found) => accept(session, frame, found, core))
    : accept(session, frame, access, core);
};

/** [WS-PUB-6] Only what is accepted counts against the rate. */
const accept = (
  session: Session,
  frame: PublishFrame,
  access: TopicAccess | undefined,
  core: GatewayCore,
): Outcome => {
  if (!access?.mayPublish) return 'unknownTopic';
  if (core.options.publishRate > 0) session.published.add(core.clock.monotonic());
  return core.publishToBus(session, frame, access);
};
