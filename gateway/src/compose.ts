import { noActivity, type ActivitySink } from '@roomwire/shared/activity/activity';
import { FailedAuthentications } from '@roomwire/shared/credentials/failedAuthentications';
import { RefusedCredentials } from '@roomwire/shared/credentials/refusedCredentials';
import type { ObserverKeys } from '@roomwire/shared/credentials/observerToken';
import type { SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { FactLog } from '@roomwire/shared/ports/connectionRecord';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { ShardLeases } from '@roomwire/shared/ports/shardLeases';
import type { RoomEventStore } from '@roomwire/shared/ports/roomEventStore';
import type { RoomPast } from '@roomwire/shared/ports/roomPast';
import type { SessionStore } from '@roomwire/shared/ports/sessionStore';
import type { UsageStore } from '@roomwire/shared/ports/usageStore';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { AccessRecorder } from '@roomwire/shared/runtime/accessRecorder';
import { LastUses } from '@roomwire/shared/runtime/lastUses';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { calmLogger } from '@roomwire/shared/runtime/onceAMinute';
import { answeredQuestions } from '@roomwire/shared/wire/bus/gatewayQuestions';
import { Directory } from './access/directory.js';
import type { BadCredential } from './access/badCredential.js';
import { RefusalReports } from './access/refusalReports.js';
import { SigningKeys } from './access/signingKeys.js';
import { createLives } from './connection-facts/lives.js';
import { Audiences } from './fanout/audience.js';
import { createDelivery } from './fanout/deliverFromBus.js';
import { LineMemory } from './fanout/lineMemory.js';
import { Places } from './fanout/places.js';
import { RoomFeed } from './fanout/roomFeed.js';
import { Retained } from './fanout/retained.js';
import { RetainStamps } from './fanout/retainedValues.js';
import { tracedDelivery } from './fanout/traceMessages.js';
import { GroupMemory } from './groups/groupMemory.js';
import { isParticipantRoom, participantRoom } from './groups/participants.js';
import { WorkerGroups } from './groups/workerGroups.js';
import { createJobs } from './jobs/composeJobs.js';
import { noJobs, type JobsHere } from './jobs/noJobs.js';
import { RecordReads } from './history/recordReads.js';
import { AddressMemory } from './limits/addressMemory.js';
import { ConnectionLimit, ConnectionCounts } from './limits/connectionLimit.js';
import { Leases } from './limits/leases.js';
import { Plans } from './limits/plans.js';
import { SubscriptionMemory } from './limits/subscriptionMemory.js';
import { UsageLedger } from './limits/usageLedger.js';
import { createMetrics, gatewayMetrics } from './metrics.js';
import type { GatewayOptions } from './options.js';
import { Presence } from './presence/presence.js';
import { composePublish, type PublishPorts } from './publishing/composePublish.js';
import { MessageIds } from './publishing/messageIds.js';
import { Answers } from './questions/answers.js';
import { connectionsOfGateways } from './questions/liveConnections.js';
import { stateOfGateways } from './questions/clusterState.js';
import { LocalState } from './questions/localState.js';
import { Questions } from './questions/questions.js';
import { RoomEvents } from './room-events/roomEvents.js';
import { Schedules } from './schedules/schedules.js';
import { createFrameHandler } from './session/frameHandlers.js';
import { localActorImpact } from './session/actorImpact.js';
import { localImpact } from './session/impact.js';
import { Revalidation } from './revalidation/revalidation.js';
import { Revalidator } from './session/revalidator.js';
import { Roster } from './session/roster.js';
import { Sessions } from './session/sessions.js';
import { Connection, type ConnectionDeps } from './socket/connection.js';
import { OpenConnections } from './socket/openConnections.js';
import { OutboxMemory } from './socket/outboxMemory.js';
import { Sweeper } from './socket/sweeper.js';
import { Tick } from './socket/tick.js';
import { Turns } from './socket/turns.js';
import { UnauthenticatedSockets } from './socket/unauthenticatedSockets.js';
import { WaitingBytes } from './socket/waitingBytes.js';
import type { FrameSocket } from './socket/wsListener.js';
import { createMemberDelivery } from './subscriptions/memberDelivery.js';
import { PersistentSessions } from './subscriptions/persistentSessions.js';
import { RoomSubscribers } from './subscriptions/roomSubscribers.js';
import type { SubscriptionsDeps } from './subscriptions/subscriptions.js';
import { Hydrations } from './webhooks/hydrations.js';

/** The longest time that a publish may be in transit, plus differences between clocks. */
const underWayMs = 60_000;

export interface GatewayPorts extends PublishPorts {
  readonly views: ViewReader;
  readonly usage: UsageStore;
  /** Persistent sessions of agents and orchestrators. */
  readonly sessions: SessionStore;
  /** Checkpoints of worker groups without members. Undefined where messages are not recorded. */
  readonly groupStore: GroupStore | undefined;
  /** Opens the signing keys of client tokens. */
  readonly secretBox: SecretBox;
  /** Verify the tokens of observers; undefined if there are no observers. */
  readonly observerKeys: ObserverKeys | undefined;
  /** Counts what happens in projects; undefined if that is not recorded. */
  readonly activity: ActivitySink | undefined;
  /** Undefined if the gateway has no work to share with other processes. */
  readonly shardLeases: ShardLeases | undefined;
  /** Undefined if room events are not reported to webhooks. */
  readonly roomEventStore: RoomEventStore | undefined;
  /** Undefined where no worker group has jobs. */
  readonly jobStore: JobStore | undefined;
  /** Undefined where the bus keeps nothing. */
  readonly roomPast: RoomPast | undefined;
  /** Undefined if connections are not recorded. */
  readonly factLog: FactLog | undefined;
  readonly limits: LimitReports;
  /** Undefined where there is no access log. */
  readonly accessRecorder: Pick<AccessRecorder, 'refused'> | undefined;
}

/**
 * Wires the modules. From the top: socket, session, subscriptions, then fan-out, groups, presence and webhooks beside one
 * another. A module names what it needs in its `Deps` and knows nothing above it.
 */
export const compose = (ports: GatewayPorts, options: GatewayOptions) => {
  const { views, usage, bus, clock, random, logger, tracing, limits, messageStore } = ports;
  const gatewayId = random.uuid();
  const calm = calmLogger({ clock, logger });
  const metrics = createMetrics();
  const roster = new Roster();
  const activity = ports.activity ?? noActivity;
  activity.connectionsBy(() => roster.countByProject());
  const plans = new Plans();
  const directory = new Directory(views, limits);
  const signingKeys = new SigningKeys(views, ports.secretBox, limits);
  const lastUses = new LastUses({ usage, clock, logger });
  const countByOrganization = () => roster.countByOrganization();

  const audiences = new Audiences();
  const rooms = new RoomFeed(bus);
  const lines = new LineMemory(limits);
  const places = new Places({ history: ports.history, logger: calm });
  const lives = createLives(ports.factLog, {
    ...{ gatewayId, clock, random, logger: calm, limits },
    next: (room) => rooms.next(room),
    epochOf: (room) => ports.history?.epochOf(room),
  });
  const record = new RecordReads({ history: ports.history, clock, logger: calm, metrics });
  const ids = new MessageIds(clock, random);
  const stamps = new RetainStamps(clock, random.uuid());
  const { retainedBytes: budgetBytes, retainedGraceMs: graceMs } = options;
  const retained = new Retained({ audiences, metrics, stamps, budgetBytes, graceMs, limits });
  const hydrations = new Hydrations({ bus, metrics, random, clock, logger: calm, gatewayId });
  const presence: Presence = new Presence({
    ...ports,
    ...options,
    directory,
    gatewayId,
    connections: countByOrganization,
    answers: [
      ...answeredQuestions.ofState,
      ...answeredQuestions.ofConnections,
      ...(ports.jobStore ? answeredQuestions.ofJobs : []),
    ],
    leases: {
      onNews: (news) => leases.onNews(news),
      onGone: (gone) => {
        leases.onGone(gone);
        questions.onGone(gone);
      },
    },
    others: {
      onTransition: (transition) => {
        groups.onTransition(transition);
        roomEvents?.onTransition(transition);
      },
      onOwnPresence: (connection, room) => groups.onOwnPresence(connection, room),
    },
  });
  const groupMemory = new GroupMemory({ limits, metrics, bytes: options.groupMemoryBytes });
  const groups: WorkerGroups = new WorkerGroups({
    ...ports,
    gatewayId,
    metrics,
    board: presence.board,
    silenceMs: options.silenceMs,
    retryMs: 1_000,
    closeMs: 2_000,
    bounds: { messages: options.groupMessages, bytes: options.groupBytes },
    memory: groupMemory,
    knowsOwn: () => presence.board.peers.knowOwn,
    subscribe: (room) => rooms.subscribe(room),
    unsubscribe: (room) => rooms.unsubscribe(room),
  });

  const { shardLeases, roomEventStore, schedules: scheduleStore } = ports;
  const roomEvents: RoomEvents | undefined =
    shardLeases &&
    roomEventStore &&
    new RoomEvents({
      ...{ ...ports, directory, metrics, limits, board: presence.board },
      ...{ store: roomEventStore, leases: shardLeases, logger: calm },
    });

  const { jobStore } = ports;
  const jobs: JobsHere =
    jobStore && shardLeases
      ? createJobs({
          ...{ bus, clock, random, logger: calm, limits, views, rooms, store: jobStore, leases: shardLeases },
          ...{ processId: gatewayId, past: ports.roomPast },
          bounds: { jobs: options.groupJobs, bytes: options.groupJobBytes },
          repeatedMs: options.deduplicationMs + underWayMs,
          others: () => presence.board.peers.others,
          otherGateways: () => presence.board.peers.otherGateways,
          hasPlainMembers: (topic, name) => presence.board.entries(participantRoom(topic, name)).length > 0,
        })
      : noJobs;

  const { peers } = presence.board;
  const roomSubscribers = new RoomSubscribers();
  const questions: Questions = new Questions({
    ...{ gatewayId, bus, random, peers, ready: presence.board.ready },
    ...{ patienceMs: options.patienceMs, hesitationMs: options.hesitationMs },
  });
  const ownState = new LocalState({
    ...{ board: presence.board, subscribers: roomSubscribers },
    impact: (query) => localImpact({ roster, clock }, query),
    actorImpact: (query) => localActorImpact(roster, query),
  });
  const closeConnection = (connectionId: string): boolean => lives.kick(connectionId);
  const answers = new Answers({
    ...{ gatewayId, bus, logger: calm, state: ownState, jobGroups: jobs.groups, closeConnection },
  });
  const leases: Leases = new Leases({
    ...{ gatewayId, clock, cluster: peers },
    waits: { returnMs: options.returnMs, answerMs: 1_000, restMs: 100 },
    ready: presence.board.ready,
    send: (news) => peers.send(news),
    termsOf: (key) => connectionLimit.termsOf(key) ?? usageLedger.termsOf(key),
  });
  const usageLedger: UsageLedger = new UsageLedger({
    ...{ gatewayId, usage, clock, logger, plans, leases, cluster: peers },
    accepted: (projectId) => activity.add(projectId, 'messagesIn'),
  });
  const connectionLimit: ConnectionLimit = new ConnectionLimit({
    ...{ gatewayId, connections: roster, plans, bus, leases },
    reports: () => peers.reports,
  });
  const connectionCounts = new ConnectionCounts({
    gatewayId,
    usage,
    clock,
    logger,
    connections: countByOrganization,
  });

  const persistentSessions = new PersistentSessions({
    ...{ store: ports.sessions, clock, random, logger, limits },
  });
  const revalidator = new Revalidator({
    ...{ views, clock, logger, directory, signingKeys, roster, retained, persistentSessions, plans },
    connectionLimit,
  });
  const revalidation = new Revalidation({
    ...{ views, clock, roster, metrics, rechecks: revalidator.rechecks },
    periodMs: options.revalidationMs,
  });
  const subscriptionMemory = new SubscriptionMemory({
    ...{ limits, bytes: options.subscriptionBytes },
    bytesPerConnection: options.subscriptionBytesPerConnection,
  });
  const addresses = new AddressMemory({ limits, bytes: options.addressMemoryBytes });
  const subscriptions: SubscriptionsDeps = {
    ...{
      audiences,
      rooms,
      roomSubscribers,
      places,
      groups,
      jobs,
      retained,
      record,
      hydrations,
      views,
      logger,
    },
    members: createMemberDelivery(metrics, messageStore !== undefined, tracing, activity),
    memory: subscriptionMemory,
    maxSubscriptions: options.maxSubscriptions,
    changed: (changed) => persistentSessions.changed(changed),
    recheckProject: revalidator.recheckProject,
  };
  const { publish, publishing, publishToBus, claims } = composePublish(
    { ...ports, logger: calm },
    {
      ...{ views, directory, plans, changes: revalidator.changes, metrics, stamps, usageLedger, ids, jobs },
      onScheduled: (stored) => schedules?.stored(stored),
    },
  );
  const schedules: Schedules | undefined =
    scheduleStore &&
    shardLeases &&
    new Schedules({
      ...{ store: scheduleStore, leases: shardLeases, publishToBus, claims, bus, metrics, ids },
      ...{ views, clock, directory, logger: calm, lookMs: options.scheduleLookMs },
    });
  const refused = new RefusedCredentials<BadCredential>({ clock, random, limits, brieflyMs: 5_000 });
  const { failedAuthDelayMs: longestDelayMs } = options;
  const failures = new FailedAuthentications({ clock, limits, longestDelayMs });
  const reports = new RefusalReports({
    ...{ views, limits, recorder: ports.accessRecorder },
    mostLookedUp: limitTable.accessLogWaiting.value,
  });
  const { observerKeys } = ports;
  const credentials = { views, clock, logger: calm, signingKeys, observerKeys, refused, failures, reports };
  const { publishRate, requestRate } = options;
  const connections = new OpenConnections<Connection>();
  const unauthenticated = new UnauthenticatedSockets({
    limits,
    most: options.unauthenticatedSockets,
    mostByAddress: options.unauthenticatedSocketsPerAddress,
  });
  const { idleTimeoutMs: idleMs, authenticationMs, messageMs } = options;
  const sweeper = new Sweeper(Math.min(idleMs, authenticationMs, messageMs), connections.all);
  const turns = new Turns();
  const connectionDeps: ConnectionDeps = {
    ...{ clock, logger: calm, metrics, sweeper, unauthenticated },
    timeouts: { idleMs, authenticationMs, messageMs },
    tick: new Tick((ms) => turns.wrote(ms)),
    turns,
    waitingBytes: new WaitingBytes(limits),
    undecided: new WaitingBytes(limits),
    outboxBytes: options.outboxBytes,
    outboxMemory: new OutboxMemory({ limits, bytes: options.outboxMemoryBytes }),
    sessions: new Sessions({
      ...{
        credentials,
        bus,
        metrics,
        logger: calm,
        roster,
        plans,
        connectionLimit,
        revalidator,
        lastUses,
        limits,
      },
      persistentSessions,
      connectionsPerActor: options.connectionsPerActor,
      session: {
        ...{ clock, directory, subscriptions, presence, addresses, reports, publishRate, requestRate },
        nameConnection: () => ids.nameConnection(),
        lifeOf: (client) => lives.of(client),
      },
    }),
    handleFrame: createFrameHandler({
      ...{ clock, metrics, limits, credentials, presence, revalidator, record, publish },
    }),
    onClosed: (connection) => connections.remove(connection),
  };

  return {
    ...{
      metrics,
      connections,
      unauthenticated,
      roster,
      rooms,
      groups,
      jobs,
      retained,
      presence,
      hydrations,
      roomEvents,
      revalidator,
      revalidation,
      sweeper,
      refused,
      lives,
    },
    schedules,
    ...{ persistentSessions, connectionLimit, connectionCounts, usageLedger, leases, lastUses },
    collect: gatewayMetrics({
      jobs: jobs.collect,
      facts: lives.collect,
      ...{ metrics, connections: connections.all, unauthenticated, retained, groups },
      sharedMemory: () => ({
        subscriptions: subscriptionMemory.bytes,
        group_messages: groupMemory.bytes,
        presences: presence.board.memoryBytes,
        addresses: addresses.bytes,
        replays: record.memory.bytes,
        fan_outs: lines.bytes,
      }),
      historyWaiting: () => record.waiting,
      presenceEntries: () => presence.board.count(isParticipantRoom),
      gateways: () => presence.board.peers.gateways,
      roomEvents: () => {
        const { events, oldestAt = clock.now() } = roomEvents?.waiting ?? { events: 0 };
        return { waiting: events, oldestMs: clock.now() - oldestAt };
      },
      scheduledLateMs: () => schedules?.lateMs ?? 0,
      shards: () => ports.shardLeases?.owned() ?? new Map(),
    }),
    ...{ publishing, questions, answers },
    liveState: stateOfGateways(ownState, questions),
    liveConnections: connectionsOfGateways(questions, { gatewayId, closeConnection }),
    deliver: tracedDelivery(
      createDelivery({
        audiences,
        metrics,
        retained,
        groups,
        jobs,
        places,
        activity,
        lines,
        replayed: record.replayed,
      }),
      tracing,
    ),
    connect: (socket: FrameSocket, address: string): Connection => {
      const connection = new Connection(socket, address, connectionDeps);
      connections.add(connection);
      return connection;
    },
  };
};

/** What the gateway starts and stops. */
export type GatewayParts = ReturnType<typeof compose>;
