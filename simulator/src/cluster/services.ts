import type { RequestListener } from 'node:http';
import { createCommandApi } from '@roomwire/command-api/commandApi';
import { createBackends } from '@roomwire/gateway/backends';
import { createGateway, type Gateway } from '@roomwire/gateway/gateway';
import { createProjections } from '@roomwire/projections/projections';
import { changesOf } from '@roomwire/projections/projectors';
import { createChainedEventLog } from '@roomwire/shared/adapters/event-log/chainedEventLog';
import { createViewFold } from '@roomwire/shared/adapters/view-store/viewFold';
import { auditKeysOf } from '@roomwire/shared/credentials/auditKeys';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import type { Session } from '@roomwire/shared/credentials/sessionToken';
import type { Logger } from '@roomwire/shared/ports/logger';
import { LastUses } from '@roomwire/shared/runtime/lastUses';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { BusPort } from '../engines/busPort.js';
import type { Network } from '../engines/network.js';
import type { SimulatedBus } from '../engines/simulatedBus.js';
import { LogPort, type SimulatedLog } from '../engines/simulatedLog.js';
import {
  groupsPort,
  messagesPort,
  publishIdsPort,
  sessionsPort,
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
  readonly bus: SimulatedBus;
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

/** What the operator's session token is: the simulation has no issuer. */
export const operatorToken = 'operator.session.token';

const operator: Session = {
  subject: 'operator',
  principal: 'session:operator',
  tokenId: undefined,
  issuedAt: undefined,
  organizationIds: [],
  isOperator: true,
  roles: new Map(),
};

const secretBox = () => createSecretBox({ current: new Uint8Array(32).fill(7) });

export const startGateway = async (process: SimulatedProcess, engines: Engines): Promise<RunningService> => {
  const { network, views, bus, stores, options } = engines;
  const { clock, random } = process;
  const gateway = createGateway({
    ...{ clock, random, logger: engines.logger(process), secretBox: secretBox() },
    views: new ViewsPort(process, network, views),
    usage: usagePort(process, network, stores),
    bus: new BusPort(process, network, bus),
    sessions: sessionsPort(process, network, stores),
    messageStore: options.records ? messagesPort(process, network, stores) : undefined,
    publishIds: publishIdsPort(process, network, stores),
    groupStore: options.records ? groupsPort(process, network, stores) : undefined,
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
  const projections = createProjections({
    log: new LogPort(process, network, engines.log),
    views: new ViewsPort(process, network, engines.views),
    bus: new BusPort(process, network, engines.bus),
    payloads: noPayloads,
    clock: process.clock,
    logger: engines.logger(process),
  });
  await projections.start();
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
  messageStore: options.records ? messagesPort(process, network, stores) : undefined,
  history: undefined,
  tracing: undefined,
});

export const startApi = async (process: SimulatedProcess, engines: Engines): Promise<RunningService> => {
  const { network } = engines;
  const { clock, random } = process;
  const logger = engines.logger(process);
  const usage = usagePort(process, network, engines.stores);
  const views = new ViewsPort(process, network, engines.views);
  const limits = new LimitReports({ clock, logger });
  const backends = createBackends({
    ...publishPorts(process, engines),
    ...{ views, usage, clock, random, logger, limits },
  });
  await backends.start();
  const auditKeys = auditKeysOf({ current: new Uint8Array(32).fill(9) });
  const log = createChainedEventLog(new LogPort(process, network, engines.log), auditKeys);
  const api = createCommandApi({
    ...{ log, views, usage, clock, random, logger, limits },
    auditIndex: unused('The audit index'),
    createFold: () => createViewFold(changesOf),
    sessions: { verify: async (token) => (token === operatorToken ? operator : undefined) },
    secretBoxes: { signingKeys: secretBox(), webhookSecrets: secretBox() },
    payloads: noPayloads,
    lastUses: new LastUses({ usage, clock, logger }),
    outcomes: unused('The watch on webhook outcomes'),
    publishing: () => backends.publishing,
    history: () => undefined,
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
