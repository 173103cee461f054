import type { ActivitySink } from '@roomwire/shared/activity/activity';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { eventRedrives } from '@roomwire/shared/wire/bus/lostWork';
import { parkedWebhookCalls, webhookBacklog, webhookCalls } from '@roomwire/shared/wire/bus/webhookCalls';
import type { SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ChannelReader, MessageBus, QueueWorker } from '@roomwire/shared/ports/messageBus';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import type { Random } from '@roomwire/shared/ports/random';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import type { RoomEventStore } from '@roomwire/shared/ports/roomEventStore';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { calmLogger } from '@roomwire/shared/runtime/onceAMinute';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import { Circuits } from './circuits/circuits.js';
import { createCallHandler, type CallHandler } from './consume/callHandler.js';
import { Pacer } from './consume/pacing.js';
import { createEventEnds } from './consume/eventEnds.js';
import { createSettlement } from './consume/settlement.js';
import { CallWaits } from './consume/waits.js';
import { createCaller } from './deliver/caller.js';
import { createEventOwners } from './deliver/eventOwners.js';
import { createPost } from './deliver/post.js';
import { BacklogQuota } from './isolation/backlogQuota.js';
import { EndpointGate } from './isolation/endpointGate.js';
import { createMetrics, webhookMetrics, type WebhookMetrics } from './metrics.js';
import { createOutcomeStream } from './consume/outcomes.js';
import { ProjectSecrets } from './deliver/projectSecrets.js';
import { defaultOptions, type WebhookConsumerOptions } from './options.js';

export interface WebhookConsumerDeps {
  readonly bus: MessageBus;
  readonly views: ViewReader;
  /** For how the events of rooms have ended. */
  readonly roomEvents: Pick<RoomEventStore, 'settle'>;
  /** Decrypts the webhook secrets. */
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: Random;
  readonly tracing?: Tracing | undefined;
  readonly limits?: LimitReports | undefined;
  readonly activity?: Pick<ActivitySink, 'add'> | undefined;
  readonly options?: Partial<WebhookConsumerOptions>;
}

/** Makes the webhook calls. Any number of processes share the work. */
export interface WebhookConsumer extends Service {
  readonly metrics: Readonly<WebhookMetrics>;
  readonly collect: CollectMetrics;
}

/** Jobs that are handled at once; most of them wait at the gate, which is cheap. */
const concurrency = 4_096;
const backlogConcurrency = 512;

export const createWebhookConsumer = ({
  bus,
  views,
  roomEvents,
  secretBox,
  clock,
  logger,
  random,
  tracing,
  limits,
  activity,
  options: given,
}: WebhookConsumerDeps): WebhookConsumer => {
  const options = { ...defaultOptions, ...given };
  const waits = new CallWaits(options);
  const metrics = createMetrics();
  const gate = new EndpointGate(options, clock);
  const caller = createCaller(options);
  const secrets = new ProjectSecrets({ views, secretBox, clock });
  const circuits = new Circuits({
    ...{ bus, views, clock, random, logger, limits },
    options: options.circuits,
    changed: (open) => void (metrics.openCircuits = open),
  });
  let feed: ChannelReader | undefined;
  const workers: QueueWorker[] = [];
  const pacers = {
    pacer: new Pacer(options.backlogTurnsPerSecond, clock),
    parkedPacer: new Pacer(options.backlogTurnsPerSecond, clock),
  };
  let isClosing = false;
  const handler = createCallHandler({
    ...{ bus, clock, gate, circuits, metrics, tracing },
    quota: new BacklogQuota({ limits: options, clock, random }),
    parkedQuota: new BacklogQuota({ limits: options, clock, random }),
    parkedMs: options.parkedMs,
    post: createPost({
      attempt: caller.attempt,
      assertOwned: createEventOwners(views),
      keysOf: (projectId) => secrets.keys(projectId),
      clock,
    }),
    settlement: createSettlement({
      ...{ bus, metrics, limits, logger: calmLogger({ clock, logger }) },
      settleEvents: createEventEnds({ bus, store: roomEvents, logger }),
    }),
    publishOutcome: createOutcomeStream({ bus, metrics, activity }),
    ...pacers,
    waits,
    laterWaits: options.laterWaits,
    isClosing: () => isClosing,
  });

  return {
    metrics,
    collect: webhookMetrics(metrics),
    async start() {
      feed = await bus.read(domainEventFeed, { interest: 'all' }, (event) => {
        secrets.happened(event);
        circuits.happened(event);
      });
      await circuits.start();
      workers.push(...(await workOn(bus, handler, waits, options.parkedLookMs)));
    },
    close: once(async () => {
      isClosing = true;
      const closed = Promise.all(workers.map((worker) => worker.close()));
      gate.close();
      for (const pacer of Object.values(pacers)) pacer.close();
      await withTimeout(options.graceMs, closed, () => [], { unref: true });
      caller.close();
      await closed;
      await Promise.all([feed?.close(), circuits.close()]);
    }),
  };
};

const workOn = (
  bus: MessageBus,
  { handleNew, handleWaiting, handleDeferred, handleParked }: CallHandler,
  waits: CallWaits,
  parkedLookMs: number,
): Promise<readonly QueueWorker[]> =>
  Promise.all([
    bus.work(webhookCalls, { concurrency }, handleNew),
    ...waits.queues.map((queue) => bus.work(queue, { concurrency }, handleWaiting)),
    // [HOOK-EVENT-9] One after the other in each room, beside the events that wait there.
    bus.work(eventRedrives, { concurrency }, handleNew),
    bus.work(webhookBacklog, { concurrency: backlogConcurrency }, handleDeferred),
    bus.work(
      { ...parkedWebhookCalls, delayMs: parkedLookMs },
      { concurrency: backlogConcurrency },
      handleParked,
    ),
  ]);
