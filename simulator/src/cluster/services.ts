import type { RequestListener } from 'node:http';
import { createCommandApi } from '@roomwire/command-api/commandApi';
import { createBackends } from '@roomwire/gateway/backends';
import { createGateway, type Gateway } from '@roomwire/gateway/gateway';
import { createProjections } from '@roomwire/projections/projections';
import { createHistoryKeeper } from '@roomwire/projections/historyKeeper';
import { changesOf } from '@roomwire/projections/projectors';
import { createChainedEventLog } from '@roomwire/shared/adapters/event-log/chainedEventLog';
import { HistoryArchiver } from '@roomwire/shared/adapters/history/historyArchiver';
import { KafkaHistoryPartitions } from '@roomwire/shared/adapters/history/kafkaHistoryPartitions';
import { KafkaRoomPast } from '@roomwire/shared/adapters/history/kafkaRoomPast';
import { createViewFold } from '@roomwire/shared/adapters/view-store/viewFold';
import { auditKeysOf } from '@roomwire/shared/credentials/auditKeys';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import type { Session } from '@roomwire/shared/credentials/sessionToken';
import { IndexedHistory } from '@roomwire/shared/history/indexedHistory';
import type { Logger } from '@roomwire/shared/ports/logger';
import { LastUses } from '@roomwire/shared/runtime/lastUses';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { BusPort } from '../engines/busPort.js';
import { partitionsPort } from '../engines/messagePartitions.js';
import type { Network } from '../engines/network.js';
import type { SimulatedBus } from '../engines/simulatedBus.js';
import { followPort, type SimulatedGroup } from '../engines/simulatedGroup.js';
import { jobStorePort, type SimulatedJobs } from '../engines/simulatedJobs.js';
import { historyIndexPort, type SimulatedHistoryIndex } from '../engines/simulatedHistoryIndex.js';
import { LogPort, type SimulatedLog } from '../engines/simulatedLog.js';
import {
  groupsPort,
  messagesPort,
  publishIdsPort,
  sessionsPort,
  schedulesPort,
  shardLeasesPort,
  usagePort,
  type SimulatedStores,
} from '../engines/simulatedStores.js';
import { ViewsPort, type SimulatedViews } from '../engines/simulatedViews.js';
import type { SimulatedProcess } from './simulatedProcess.js';

export interface Engines {
  readonly network: Network;
  readonly log: SimulatedLog;
  readonly views: SimulatedViews;
  readonly stores: SimulatedStores;
  readonly historyIndex: SimulatedHistoryIndex;
  readonly jobs: SimulatedJobs;
  readonly bus: SimulatedBus;
  readonly archivers: SimulatedGroup;
  readonly options: { readonly records: boolean };
  readonly logger: (process: SimulatedProcess) => Logger;
}

export interface RunningService {
  readonly gateway?: Gateway;
  readonly api?: RequestListener;
  /** Its process has crashed: what others had of it is gone. */
  ended(): void;
  /** Called when it has. */
  readonly onEnd: Set<() => void>;
}

const running = (parts: Omit<RunningService, 'ended' | 'onEnd'>): RunningService => {
  const onEnd = new Set<() => void>();
  return {
    ...parts,
    onEnd,
    ended: () => {
      for (const end of onEnd) end();
      onEnd.clear();
    },
  };
};

/** The intervals that production has in minutes are shorter, so that they are met within a simulated one. */
const gatewayOptions = { revalidationMs: 60_000 };
const pruneEveryMs = 15_000;

/** What the operator's session token is: the simulation has no issuer. */
export const operatorToken = 'operator.session.token';

const operator: Session = {
  subject: 'operator',
  principal: 'session:operator',
  tokenId: undefined,
  issuedAt: undefined,
  expiresAt: 4_000_000_000,
  organizationIds: [],
  isOperator: true,
  roles: new Map(),
};

/** The history on the simulated engines, as one process has it. */
const historyPorts = (process: SimulatedProcess, engines: Engines) => {
  const { network, bus, historyIndex } = engines;
  const index = historyIndexPort(process, network, historyIndex);
  const partitions = partitionsPort(process, network, bus.messages);
  const tails = new KafkaHistoryPartitions({ partitions, index, logger: engines.logger(process) });
  return { index, partitions, history: new IndexedHistory(index, tails) };
};

const secretBox = () => createSecretBox({ current: new Uint8Array(32).fill(7) });

export const startGateway = async (process: SimulatedProcess, engines: Engines): Promise<RunningService> => {
  const { network, views, bus, stores, options } = engines;
  const { clock, random } = process;
  const logger = engines.logger(process);
  const { partitions, history } = historyPorts(process, engines);
  const gateway = createGateway({
    ...{ clock, random, logger, secretBox: secretBox() },
    views: new ViewsPort(process, network, views),
    usage: usagePort(process, network, stores),
    bus: new BusPort(process, network, bus),
    sessions: sessionsPort(process, network, stores),
    messageStore: options.records ? messagesPort(process, network, stores) : undefined,
    publishIds: publishIdsPort(process, network, stores),
    schedules: schedulesPort(process, network, stores),
    shardLeases: shardLeasesPort(process, network, stores, logger),
    groupStore: options.records ? groupsPort(process, network, stores) : undefined,
    jobStore: jobStorePort(process, network, engines.jobs),
    roomPast: new KafkaRoomPast({ partitions, logger }),
    history,
    options: gatewayOptions,
  });
  await gateway.start();
  return running({ gateway });
};

export const startProjector = async (
  process: SimulatedProcess,
  engines: Engines,
): Promise<RunningService> => {
  const { network } = engines;
  const { clock } = process;
  const logger = engines.logger(process);
  const log = new LogPort(process, network, engines.log);
  const views = new ViewsPort(process, network, engines.views);
  const { index, partitions, history } = historyPorts(process, engines);
  const follow = followPort(process, network, engines.archivers);
  await new HistoryArchiver({ follow, partitions, index, clock, logger }).start();
  const projections = createProjections({
    ...{ log, views, clock, logger, payloads: noPayloads },
    bus: new BusPort(process, network, engines.bus),
  });
  await projections.start();
  const follows = { log, views, clock, logger, refusesOtherLogs: false };
  await createHistoryKeeper({ ...follows, index, history, pruneEveryMs }).start();
  return running({});
};

/** A part of the API that no client of the simulation uses. */
const unused = <T extends object>(name: string): T =>
  new Proxy<T>({} as T, {
    get: () => {
      throw new Error(`${name} is not simulated`);
    },
  });

/** Those of a process of the API that publishes for backends. */
const publishPorts = (process: SimulatedProcess, { network, bus, stores, options }: Engines) => ({
  bus: new BusPort(process, network, bus),
  publishIds: publishIdsPort(process, network, stores),
  schedules: schedulesPort(process, network, stores),
  messageStore: options.records ? messagesPort(process, network, stores) : undefined,
  tracing: undefined,
});

export const startApi = async (process: SimulatedProcess, engines: Engines): Promise<RunningService> => {
  const { network } = engines;
  const { clock, random } = process;
  const logger = engines.logger(process);
  const usage = usagePort(process, network, engines.stores);
  const views = new ViewsPort(process, network, engines.views);
  const limits = new LimitReports({ clock, logger });
  const { history } = historyPorts(process, engines);
  const backends = createBackends({
    ...publishPorts(process, engines),
    ...{ views, usage, clock, random, logger, limits, history },
  });
  await backends.start();
  const auditKeys = auditKeysOf({ current: new Uint8Array(32).fill(9) });
  const log = createChainedEventLog(new LogPort(process, network, engines.log), auditKeys);
  const api = createCommandApi({
    ...{ log, views, usage, clock, random, logger, limits },
    auditIndex: unused('The audit index'),
    createFold: () => createViewFold(changesOf),
    activity: unused('The activity of projects'),
    consoleCredentials: unused('The console'),
    signInWays: { oidc: undefined },
    sessions: { verify: async (token) => (token === operatorToken ? operator : undefined) },
    secretBoxes: { signingKeys: secretBox(), webhookSecrets: secretBox() },
    payloads: noPayloads,
    lastUses: new LastUses({ usage, clock, logger }),
    outcomes: unused('The watch on webhook outcomes'),
    redriveWatch: unused('The watch on redrives'),
    publishing: () => backends.publishing,
    history: () => history,
    schedules: schedulesPort(process, network, engines.stores),
    liveState: () => backends.liveState,
    jobGroups: () => backends.jobGroups,
    connectionRecord: unused('The record of connections'),
    liveConnections: () => backends.liveConnections,
    accessLog: unused('The access log'),
    accessRecorder: { refused: () => undefined },
    options: {
      rateLimit: { perSecond: 0, burst: 0 },
      messageRate: 0,
      trustedProxies: 0,
      corsOrigins: undefined,
      failedAuthDelayMs: 0,
    },
  });
  return running({ api });
};
