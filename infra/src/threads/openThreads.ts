import { EncodedRecords } from '@roomwire/shared/adapters/threads/encodedRecords';
import { ServedMessageBus } from '@roomwire/shared/adapters/threads/servedMessageBus';
import { serveHistory } from '@roomwire/shared/adapters/threads/threadHistory';
import type { ThreadLink } from '@roomwire/shared/adapters/threads/threadLink';
import { serveMessageStore } from '@roomwire/shared/adapters/threads/threadMessageStore';
import { serveStores } from '@roomwire/shared/adapters/threads/threadStores';
import type { SealingKeys } from '@roomwire/shared/credentials/secretBox';
import type { Gateway } from '@roomwire/gateway/gateway';
import { everyChannel, everyQueue } from '@roomwire/shared/wire/bus/everyTopic';
import { liveMessages, type LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { gatewaySettings, type GatewayPortsOpened } from '../services/openGateway.js';
import type { ServiceContext } from '../services/service.js';
import { openDescriptors } from './descriptors.js';
import { GatewayThreads } from './gatewayThreads.js';
import type { SupervisedThreadDeps } from './supervisedThread.js';
import { serveLimits } from './threadLimits.js';
import { serveLogger } from './threadLogger.js';

export interface ThreadsOf {
  /** Of this thread: it owns what is divided among gateways, and has no sockets. */
  readonly gateway: Gateway;
  readonly ports: GatewayPortsOpened;
  readonly sealingKeys: SealingKeys;
}

/** The threads of a gateway, to be started; undefined where sockets cannot be given to threads. */
export const openThreads = async (
  context: ServiceContext,
  of: ThreadsOf,
): Promise<GatewayThreads | undefined> => {
  const { config, logger, closing, draining, hindrances } = context;
  const descriptors = await openDescriptors().catch((error: unknown) => {
    logger.warn('Sockets cannot be given to threads here: the main thread keeps them all', { error });
    return undefined;
  });
  if (descriptors === undefined) return undefined;
  const threads = new GatewayThreads({
    ...{ count: config.gatewayThreads, descriptors, own: of.gateway.collect, logger },
    ...{ file: new URL('./gatewayThread.js', import.meta.url), settings: threadSettings(context, of) },
    serve: await servingOf(context, of),
  });
  closing.push(() => threads.close());
  draining.push(() => threads.drain(config.drainMs));
  hindrances.push(() => threads.hindrance());
  return threads;
};

/** Of what belongs to its own clients, each thread has its share. */
const threadSettings = (
  { config }: ServiceContext,
  { sealingKeys }: ThreadsOf,
): SupervisedThreadDeps['settings'] => {
  const share = (whole: number): number => Math.ceil(whole / config.gatewayThreads);
  const { sharedMemory } = config;
  return {
    gateway: {
      ...gatewaySettings(config),
      sharedMemory: {
        ...sharedMemory,
        subscriptionBytes: share(sharedMemory.subscriptionBytes),
        outboxMemoryBytes: share(sharedMemory.outboxMemoryBytes),
      },
    },
    unauthenticatedSockets: share(limitTable.unauthenticatedSockets.value),
    sealingKeys,
    tracing: config.tracing,
    hasDebug: config.logLevel === 'debug',
    hasRecording: config.messageRecording,
    hasFacts: config.connectionRecord,
  };
};

/** Gives a thread the ports of this one. */
const servingOf = async (
  { adapters, limits, logger }: ServiceContext,
  { gateway, ports }: ThreadsOf,
): Promise<(link: ThreadLink, thread: number) => { close(): Promise<void> }> => {
  const { views, usage, sessions, groupStore, publishIds, schedules, jobStore, factLog } = ports;
  const [bus, accessLog, activity] = [
    ...[await adapters.bus(), await adapters.accessLog()],
    await adapters.activity(),
  ] as const;
  const encoded = new EncodedRecords();
  const topics = { channels: everyChannel, queues: everyQueue };
  const stored = storedIn(gateway);
  return (link, thread) => {
    serveLogger(link, logger, thread);
    serveLimits(link, limits);
    serveStores(link, {
      ...{ views, usage, sessions, publishIds, accessLog, activity },
      ...(groupStore && { groups: groupStore }),
      ...(schedules && { schedules }),
      ...(jobStore && { jobs: jobStore }),
      ...(factLog && { facts: factLog }),
    });
    if (ports.history) serveHistory(link, ports.history);
    if (ports.messageStore) serveMessageStore(link, ports.messageStore);
    return new ServedMessageBus({ link, bus, topics, encoded, stored });
  };
};

/** [WS-JOB-4] What is published on a thread is durable in the groups that this one owns. */
const storedIn =
  ({ storedJobs }: Gateway) =>
  (channel: string, record: object): Promise<void> | undefined => {
    if (channel !== liveMessages.name) return undefined;
    const { topic } = record as LiveMessage;
    return storedJobs.collects(topic) ? storedJobs.stored(topic) : undefined;
  };
