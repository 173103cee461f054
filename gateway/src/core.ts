import { closes } from '@roomwire/shared/wire/protocol/closes';
import type { SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import type { Random } from '@roomwire/shared/ports/random';
import type { SessionStore } from '@roomwire/shared/ports/sessionStore';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { LastUses } from '@roomwire/shared/runtime/lastUses';
import { Directory } from './access/directory.js';
import { SigningKeys } from './access/signingKeys.js';
import { createMemberDelivery } from './fanout/deliverToMember.js';
import { Hub } from './fanout/hub.js';
import { MessageIds, createPublishToBus, type PublishToBus } from './fanout/publishToBus.js';
import { WorkerGroups } from './groups/workerGroups.js';
import { ConnectionLimit } from './limits/connectionLimit.js';
import { ConnectionNotes } from './limits/connectionNotes.js';
import { Plans } from './limits/plans.js';
import { UsageLedger } from './limits/usageLedger.js';
import { createMetrics, type GatewayMetrics } from './metrics.js';
import type { GatewayOptions } from './options.js';
import { Retained } from './fanout/retained.js';
import { RetainStamps } from './fanout/retainedValues.js';
import { SessionRecords } from './resume/sessionRecords.js';
import { createRecorder } from './fanout/recording.js';
import type { Connection } from './session/connection.js';
import { Presence } from './presence/presence.js';
import { Revalidator } from './session/revalidator.js';
import { Roster } from './session/roster.js';
import { IdleSweeper } from './socket/idleSweeper.js';
import { Tick } from './socket/outbox.js';
import { Hydrations } from './webhooks/hydrations.js';
import { createTrigger } from './webhooks/webhookCalls.js';

export interface GatewayPorts {
  readonly views: ViewStore;
  readonly bus: MessageBus;
  /** What agents and orchestrators were subscribed to. */
  readonly sessions: SessionStore;
  /** Undefined where messages are not recorded; the switch of the whole broker. */
  readonly messageStore: MessageStore | undefined;
  /** Worker groups that are asleep. Undefined where messages are not recorded. */
  readonly groupStore: GroupStore | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Opens the signing keys of client tokens. */
  readonly secretBox: SecretBox;
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
}

/** What all connections of a gateway share. */
export interface GatewayCore extends GatewayPorts {
  readonly options: GatewayOptions;
  readonly metrics: GatewayMetrics;
  readonly tick: Tick;
  readonly roster: Roster;
  readonly directory: Directory;
  readonly signingKeys: SigningKeys;
  readonly hub: Hub;
  readonly groups: WorkerGroups;
  readonly retained: Retained;
  readonly sessionRecords: SessionRecords;
  readonly publishToBus: PublishToBus;
  readonly presence: Presence;
  readonly plans: Plans;
  readonly connectionLimit: ConnectionLimit;
  readonly usageLedger: UsageLedger;
  readonly connectionNotes: ConnectionNotes;
  readonly hydrations: Hydrations;
  readonly revalidator: Revalidator;
  readonly sweeper: IdleSweeper<Connection>;
  /** Hears of the actors and signing keys that open connections. */
  readonly lastUses: LastUses;
}

export const createCore = (ports: GatewayPorts, options: GatewayOptions): GatewayCore => {
  const { views, bus, clock, random, logger, secretBox } = ports;
  const metrics = createMetrics();
  const roster = new Roster();
  const directory = new Directory(views);
  const signingKeys = new SigningKeys(views, secretBox);
  const hub = new Hub(createMemberDelivery(metrics, ports.messageStore !== undefined, ports.tracing));
  const plans = new Plans();
  const gatewayId = random.uuid();
  const presence = new Presence({
    ...ports,
    ...options,
    directory,
    gatewayId,
    connections: () => roster.countByOrganization(),
    others: {
      onTransition: (transition) => groups.told(transition),
      onOwnPresence: (connection, room) => groups.announced(connection, room),
    },
  });
  const groups = new WorkerGroups({
    ...ports,
    record: ports.messageStore,
    store: ports.groupStore,
    gatewayId,
    metrics,
    board: presence.board,
    silenceMs: options.silenceMs,
    retryMs: 1_000,
    closeMs: 2_000,
    bounds: { messages: options.groupMessages, bytes: options.groupBytes },
    attend: (room) => hub.attend(room),
    forget: (room) => hub.forget(room),
  });
  const stamps = new RetainStamps(clock, random.uuid());
  const retained = new Retained({
    hub,
    metrics,
    stamps,
    budgetBytes: options.retainedBytes,
    graceMs: options.retainedGraceMs,
  });
  const sessionRecords = new SessionRecords({ store: ports.sessions, clock, random, logger });
  const reports = () => presence.board.peers.reports;
  const connectionLimit = new ConnectionLimit({ gatewayId, roster, plans, bus, reports });
  const rights = { views, clock, logger, directory, signingKeys, roster, hub, presence };
  return {
    ...ports,
    options,
    metrics,
    roster,
    directory,
    signingKeys,
    hub,
    groups,
    presence,
    hydrations: new Hydrations({ bus, metrics, random, clock, logger, gatewayId }),
    plans,
    connectionLimit,
    usageLedger: new UsageLedger({ gatewayId, views, clock, logger, plans }),
    connectionNotes: new ConnectionNotes({ gatewayId, views, clock, logger, roster }),
    tick: new Tick(),
    retained,
    sessionRecords,
    publishToBus: createPublishToBus({
      tracing: ports.tracing,
      bus,
      metrics,
      logger,
      stamps,
      ids: new MessageIds(clock, random),
      showsIds: ports.messageStore !== undefined,
      record: createRecorder({ ...ports, metrics }),
      trigger: createTrigger({ bus, metrics, random, logger }),
    }),
    revalidator: new Revalidator({ ...rights, retained, sessionRecords, plans, connectionLimit }),
    sweeper: new IdleSweeper(options.idleTimeoutMs, roster.connections, sweepOver),
    lastUses: new LastUses({ views, clock, logger }),
  };
};

const sweepOver = (connection: Connection, isIdle: boolean): void => {
  if (connection.isBehind) connection.onSignOfLife();
  else if (isIdle) connection.close(closes.idleTimeout);
};
