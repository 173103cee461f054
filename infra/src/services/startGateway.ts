import { AccessRecorder } from '@roomwire/shared/runtime/accessRecorder';
import { openSealingKeys } from '../secrets/sealingKeys.js';
import type { GatewayThreads } from '../threads/gatewayThreads.js';
import type { ThreadsOf } from '../threads/openThreads.js';
import { factLogOf } from './connectionRecord.js';
import { gatewaySettings, openGateway, type GatewayPortsOpened } from './openGateway.js';
import type { ServiceContext, StartService } from './service.js';

export const startGateway: StartService = async (context) => {
  const { config, front, closing, draining, secrets, show, backends } = context;
  const sealingKeys = await openSealingKeys(config, 'signingKeys', secrets);
  const ports = await openPorts(context);
  const gateway = openGateway(gatewaySettings(config), sealingKeys, ports);
  closing.push(() => {
    backends.publishing = backends.liveState = backends.jobGroups = undefined;
    backends.liveConnections = undefined;
    return gateway.close();
  });
  draining.push(() => gateway.drain(config.drainMs));
  const threads =
    config.gatewayThreads > 1 ? await threadsOf(context, { gateway, ports, sealingKeys }) : undefined;
  show({ name: 'gateway', collect: (threads ?? gateway).collect });
  await gateway.start();
  await threads?.start();
  (threads ?? gateway).attach(front.server);
  backends.publishing = gateway.publishing;
  backends.liveState = gateway.liveState;
  backends.liveConnections = gateway.liveConnections;
  backends.jobGroups = gateway.jobGroups;
};

/** Loaded only where there are to be some. */
const threadsOf = async (context: ServiceContext, of: ThreadsOf): Promise<GatewayThreads | undefined> =>
  (await import('../threads/openThreads.js')).openThreads(context, of);

const openPorts = async (context: ServiceContext): Promise<GatewayPortsOpened> => {
  const { config, logger, clock, random, adapters, closing, tracing, limits } = context;
  const activity = await context.activity();
  const { views, usage } = await adapters.viewStores();
  const [bus, sessions] = [await adapters.bus(), await adapters.sessions()];
  const messageStore = config.messageRecording ? await adapters.messageStore() : undefined;
  const groupStore = config.messageRecording ? await adapters.groups() : undefined;
  const accessLog = await adapters.accessLog();
  const accessRecorder = new AccessRecorder({ accessLog, clock, logger, limits, activity });
  closing.push(() => accessRecorder.close());
  return {
    ...{ views, usage, bus, sessions, messageStore, groupStore, accessRecorder },
    ...{ clock, random, logger, activity, tracing, limits },
    publishIds: await adapters.publishIds(),
    history: await adapters.history(),
    roomEventStore: await adapters.roomEvents(),
    schedules: await adapters.schedules(),
    shardLeases: await adapters.shardLeases(),
    jobStore: await adapters.jobs(),
    roomPast: await adapters.roomPast(),
    factLog: await factLogOf({ adapters, config }),
  };
};
