import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { Author } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import type { LeaseOutcome } from '../limits/leaseTerms.js';
import type { ProjectUsage } from '../limits/projectUsage.js';
import type { UsageLedger } from '../limits/usageLedger.js';
import type { GatewayMetrics } from '../metrics.js';
import type { DecidedClaim, PublishClaims, WonClaim } from './publishClaims.js';
import type { Publisher } from './publisher.js';
import type { AcceptSchedule } from '../schedules/acceptSchedule.js';
import type { WithdrawOvertaken } from '../schedules/overtakenSchedule.js';
import { scheduledIdOf } from '../schedules/scheduledId.js';
import type { PublishToBus } from './publishToBus.js';

/** A publish that its author may make. */
export interface AllowedPublish {
  readonly author: Author;
  readonly frame: PublishFrame;
  readonly access: TopicAccess;
  /** Whether its publisher does not want the trigger webhook of the topic to run. */
  readonly isSilent?: boolean;
}

/** Answers by the publisher. Returns a promise only where the next publish has to wait for it; it never rejects. */
export type Publish = (publisher: Publisher, allowed: AllowedPublish) => Promise<void> | undefined;

interface PublishDeps {
  readonly usageLedger: Pick<UsageLedger, 'of' | 'read'>;
  readonly claims: Pick<PublishClaims, 'claim' | 'free'>;
  readonly publishToBus: PublishToBus;
  readonly acceptSchedule: AcceptSchedule;
  readonly withdrawOvertaken: WithdrawOvertaken;
  readonly metrics: GatewayMetrics;
}

/** A publish on its way to the bus. */
interface Passing extends Omit<AllowedPublish, 'isSilent'> {
  readonly isSilent: boolean | undefined;
  readonly publisher: Publisher;
  readonly usage: ProjectUsage;
  readonly claim: WonClaim | undefined;
  /** Whether it has been counted when it entered the line. */
  readonly isCounted: boolean;
}

/** What a publish goes through when it is allowed: its id is decided, the quota admits it, and the bus gets it. */
export const createPublish = (deps: PublishDeps): Publish => {
  const { usageLedger, claims, publishToBus, acceptSchedule, withdrawOvertaken, metrics } = deps;

  const refuse = (
    { publisher, frame, claim }: Passing,
    error: ProtocolErrorName,
  ): Promise<void> | undefined => {
    if (claim === undefined) return void publisher.answers.refused(frame, error);
    return claims.free(claim).then(() => publisher.answers.refused(frame, error));
  };

  const admitted = (outcome: LeaseOutcome, passing: Passing): Promise<void> | undefined => {
    const { publisher, usage, claim } = passing;
    if (outcome === 'full') return refuse(passing, 'quotaExceeded');
    if (outcome === 'unavailable') return refuse(passing, 'brokerUnavailable');
    // It may have ended while other gateways were asked.
    if (publisher.answers.areOver) {
      usage.end(false);
      return claim && claims.free(claim);
    }
    if (!passing.isCounted) publisher.answers.counted();
    if (passing.frame.deliverAt === undefined) return publishToBus(publisher, passing);
    const accepting = acceptSchedule(publisher, passing);
    return publisher.isFarAhead ? accepting : undefined;
  };

  /** [WS-PUB-9] Last, because only what is accepted counts. */
  const admit = (passing: Passing): Promise<void> | undefined => {
    const { usage, publisher } = passing;
    const { ended } = publisher.answers;
    if (ended !== undefined) return refuse(passing, ended);
    const take = (): Promise<void> | undefined => {
      const outcome = usage.admit();
      return outcome instanceof Promise
        ? outcome.then((known) => admitted(known, passing))
        : admitted(outcome, passing);
    };
    return usage.mustBeRead ? usageLedger.read(usage).then(take) : take();
  };

  const decide = async ({ publisher, author, access, frame }: Passing): Promise<DecidedClaim> => {
    const claim = await claims.claim(publisher, author, access, frame);
    return frame.deliverAt === undefined ? withdrawOvertaken(claim, author.projectId) : claim;
  };

  /** [WS-ONCE-1] */
  const decided = (claim: DecidedClaim | undefined, passing: Passing): Promise<void> | undefined => {
    if (claim === undefined) return admit(passing);
    if (claim.kind === 'won') return admit({ ...passing, claim: claim.claim });
    if (claim.kind === 'conflict') return refuse(passing, 'publishConflict');
    if (claim.kind === 'unavailable') return refuse(passing, 'brokerUnavailable');
    metrics.duplicatePublishes++;
    const { messageId, deliverAt } = claim;
    // [WS-ONCE-2] By what the first was, whatever this one asks for.
    const scheduled = deliverAt !== undefined && { scheduledId: scheduledIdOf(messageId), deliverAt };
    passing.publisher.answers.accepted(passing.frame, { messageId, isDuplicate: true, ...scheduled });
    return undefined;
  };

  /** [WS-PUB-3] Behind those that wait for the decision on their ids. */
  const inLine = (
    passing: Passing,
    deciding: Promise<DecidedClaim> | undefined,
  ): Promise<void> | undefined => {
    const { publisher, frame } = passing;
    const line = publisher.idLine;
    // Not later, or a burst would pass while the first of it waits.
    publisher.answers.counted();
    const counted = { ...passing, isCounted: true };
    const turn = line.add(frame.data.length, deciding, (claim) => decided(claim, counted));
    return line.isFull || publisher.isFarAhead ? turn : undefined;
  };

  return (publisher, { author, frame: given, access, isSilent }) => {
    const frame = withItsQos(given);
    const usage = usageLedger.of(author);
    const passing = { publisher, author, access, frame, usage, isSilent, claim: undefined, isCounted: false };
    if (frame.id !== undefined) return inLine(passing, decide(passing));
    return publisher.waitingForId === undefined ? admit(passing) : inLine(passing, undefined);
  };
};

/** [WS-ONCE-3] What is to be delivered once must not get lost unnoticed. */
const withItsQos = (frame: PublishFrame): PublishFrame =>
  frame.id !== undefined && frame.qos === 0 ? { ...frame, qos: 1 } : frame;
