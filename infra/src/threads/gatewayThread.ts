import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { Activity } from '@roomwire/shared/activity/activity';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { ThreadHistory } from '@roomwire/shared/adapters/threads/threadHistory';
import { ThreadLink } from '@roomwire/shared/adapters/threads/threadLink';
import { ThreadMessageBus } from '@roomwire/shared/adapters/threads/threadMessageBus';
import { ThreadMessageStore } from '@roomwire/shared/adapters/threads/threadMessageStore';
import { threadStore } from '@roomwire/shared/adapters/threads/threadStores';
import type { SealingKeys } from '@roomwire/shared/credentials/secretBox';
import type { Logger } from '@roomwire/shared/ports/logger';
import { AccessRecorder } from '@roomwire/shared/runtime/accessRecorder';
import { createClosingStack } from '@roomwire/shared/runtime/closingStack';
import type { Config } from '../config/config.js';
import { openTracing } from '../observability/openTracing.js';
import { openGateway, type GatewayPortsOpened, type GatewaySettings } from '../services/openGateway.js';
import { collected } from './collected.js';
import { openConnection, takeOver, type HandedOver } from './handedOver.js';
import { noShards } from './noShards.js';
import { openFrom } from './descriptorSlots.js';
import { ThreadLimits } from './threadLimits.js';
import { threadLogger } from './threadLogger.js';
import { startBeating } from './threadWatch.js';

/** What a thread is made with. It is cloned. */
export interface ThreadSettings {
  readonly gateway: GatewaySettings;
  readonly sealingKeys: SealingKeys;
  readonly tracing: Config['tracing'];
  readonly unauthenticatedSockets: number;
  readonly hasDebug: boolean;
  readonly hasRecording: boolean;
  readonly hasFacts: boolean;
  /** See `DescriptorSlots`. */
  readonly slots: Int32Array;
  /** See `ThreadWatch`. */
  readonly beats: Int32Array;
}

/** The gateway of a thread, whose ports are those of the main thread, and whose sockets come from it. */
const runThread = (port: NonNullable<typeof parentPort>, settings: ThreadSettings): void => {
  startBeating(settings.beats);
  const closing = createClosingStack();
  // Nobody else would see what this one writes of itself.
  const link: ThreadLink = new ThreadLink(port, {
    debug: () => undefined,
    info: () => undefined,
    warn: (...line) => logger.warn(...line),
    error: (...line) => logger.error(...line),
  });
  const logger: Logger = threadLogger(link, settings.hasDebug);
  const bus = new ThreadMessageBus(link);
  closing.push(() => bus.close());

  const open = async () => {
    const tracing = await openTracing(['gateway'], settings, logger, closing);
    const clock = systemClock;
    const random = systemRandom;
    const limits = new ThreadLimits(link, { clock, logger });
    closing.push(async () => limits.tell());
    const activity = new Activity({ store: threadStore(link, 'activity'), clock, random, logger });
    closing.push(() => activity.close());
    const accessLog = threadStore(link, 'accessLog');
    const accessRecorder = new AccessRecorder({ accessLog, clock, logger, limits, activity });
    closing.push(() => accessRecorder.close());
    const ports: GatewayPortsOpened = {
      ...{ bus, clock, random, logger, tracing, limits, activity, accessRecorder },
      // The process that writes the read models is the one that reads them.
      views: { ...threadStore(link, 'views'), isLeftBehind: false },
      usage: threadStore(link, 'usage'),
      sessions: threadStore(link, 'sessions'),
      messageStore: settings.hasRecording ? new ThreadMessageStore(link) : undefined,
      groupStore: settings.hasRecording ? threadStore(link, 'groups') : undefined,
      publishIds: threadStore(link, 'publishIds'),
      history: new ThreadHistory(link),
      schedules: threadStore(link, 'schedules'),
      shardLeases: noShards,
      jobStore: threadStore(link, 'jobs'),
      factLog: settings.hasFacts ? threadStore(link, 'facts') : undefined,
    };
    const { unauthenticatedSockets } = settings;
    const gateway = openGateway(settings.gateway, settings.sealingKeys, ports, { unauthenticatedSockets });
    closing.push(() => gateway.close());
    await gateway.start();
    return gateway;
  };

  // It never listens: it has the upgrade requests of the server of the main thread.
  const server = createServer();
  const opened = open();
  opened.then(
    (gateway) => gateway.attach(server),
    () => undefined,
  );
  const take = (slot: number, given: HandedOver): void => {
    const closed = (): void => link.tell('threads', 'closed');
    let connection: Socket;
    try {
      connection = openFrom(settings.slots, slot, openConnection);
    } catch (error) {
      closed();
      throw error;
    }
    connection.once('close', closed);
    const { request, head } = takeOver(connection, given);
    server.emit('upgrade', request, connection, head);
  };
  link.serve('gateway', {
    start: async () => void (await opened),
    take,
    collect: async () => collected((await opened).collect),
    drain: async (overMs: number) => (await opened).drain(overMs),
    close: () => closing.closeAll(),
  });
};

if (parentPort === null) throw new Error('This is a thread of a gateway, and no program');
runThread(parentPort, workerData as ThreadSettings);
