import type { Clock } from '@roomwire/shared/ports/clock';
import type { History } from '@roomwire/shared/ports/history';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import type { Publishing } from '@roomwire/shared/ports/publishing';
import type { PublishIds } from '@roomwire/shared/ports/publishIds';
import type { ScheduledPublish, ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { Random } from '@roomwire/shared/ports/random';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import type { RetainStamps } from '../fanout/retainedValues.js';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { UsageLedger } from '../limits/usageLedger.js';
import type { GatewayMetrics } from '../metrics.js';
import { createTrigger } from '../webhooks/webhookCalls.js';
import type { MessageIds } from './messageIds.js';
import { BackendPublishing, type BackendPublishingDeps } from './backendPublishing.js';
import { Positions } from './positions.js';
import { createPublish, type Publish } from './publish.js';
import { PublishClaims } from './publishClaims.js';
import { createAcceptSchedule } from '../schedules/acceptSchedule.js';
import { createWithdrawOvertaken } from '../schedules/overtakenSchedule.js';
import { ScheduleRoom } from '../schedules/scheduleRoom.js';
import { createPublishToBus, type PublishToBus, type StoredJobs } from './publishToBus.js';
import { createRecorder } from './recording.js';

/** Where messages go, and what is kept about them. */
export interface PublishPorts {
  readonly bus: MessageBus;
  /** Undefined where messages are not recorded; subscribers then get no message ids. */
  readonly messageStore: MessageStore | undefined;
  /** The ids that publishers give to their messages. */
  readonly publishIds: PublishIds;
  /** The record of topics with history. Undefined where nothing is kept. */
  readonly history: History | undefined;
  /** Publishes that wait for their time. Undefined where none are taken. */
  readonly schedules: ScheduleStore | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
}

interface PublishParts extends Omit<BackendPublishingDeps, 'clock' | 'publish' | 'positions'> {
  /** Of a publish for later. */
  readonly onScheduled: (publish: ScheduledPublish) => void;
  readonly metrics: GatewayMetrics;
  readonly stamps: RetainStamps;
  readonly usageLedger: UsageLedger;
  readonly ids: MessageIds;
  /** The groups with jobs of this process. Undefined where it has none. */
  readonly jobs?: StoredJobs;
}

/** The two ways of publishing. */
interface ComposedPublish {
  /** Of sockets. */
  readonly publish: Publish;
  /** Of backends. */
  readonly publishing: Publishing;
  /** What they become on the bus. */
  readonly publishToBus: PublishToBus;
  readonly claims: PublishClaims;
}

/** Longer than the store leaves an id to a publisher that may be gone. */
const patienceMs = 25_000;
const pollMs = 100;

const noJobsHere: StoredJobs = { collects: () => false, stored: async () => undefined };

/** What waits in each project is counted so often. */
const countedMs = 2_000;
const mostScheduled = {
  messages: limitTable.scheduledMessages.value,
  bytes: limitTable.scheduledBytes.value,
};

/** What a publish passes, from its admission to the bus. */
export const composePublish = (ports: PublishPorts, parts: PublishParts): ComposedPublish => {
  const { bus, clock, random, logger, tracing, messageStore, publishIds, history, schedules } = ports;
  const { metrics, stamps, usageLedger, ids } = parts;
  const claims = new PublishClaims({ store: publishIds, ids, logger, pollMs, patienceMs });
  const positions = new Positions({ history, logger });
  const publishToBus = createPublishToBus({
    ...{ tracing, bus, metrics, logger, stamps, ids, claims },
    jobs: parts.jobs ?? noJobsHere,
    showsIds: messageStore !== undefined,
    record: createRecorder({ messageStore, metrics, logger }),
    trigger: createTrigger({
      bus,
      metrics,
      random,
      logger,
      positionOf: (record, sent) => positions.of(record, sent),
    }),
  });
  const acceptSchedule = createAcceptSchedule({
    ...{ store: schedules, claims, ids, clock, logger, metrics },
    room: schedules && new ScheduleRoom({ store: schedules, clock, most: mostScheduled, countedMs }),
    onStored: parts.onScheduled,
  });
  const withdrawOvertaken = createWithdrawOvertaken({ store: schedules, claims, logger });
  const publish = createPublish({
    ...{ usageLedger, claims, publishToBus, acceptSchedule, withdrawOvertaken, metrics },
  });
  return {
    publish,
    publishToBus,
    claims,
    publishing: new BackendPublishing({ ...parts, clock, publish, positions }),
  };
};
