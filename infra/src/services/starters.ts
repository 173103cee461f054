import { createDeadLetterRecorder } from '@roomwire/command-api/dead-letters/deadLetterRecorder';
import { RedriveWatch } from '@roomwire/command-api/dead-letters/redriveWatch';
import { createAuditHeads } from '@roomwire/projections/auditHeads';
import { createAuditFollower } from '@roomwire/projections/auditFollower';
import { createPayloadKeeper } from '@roomwire/projections/payloadKeeper';
import { projectionLag } from '@roomwire/projections/projectionLag';
import { createProjections } from '@roomwire/projections/projections';
import { createVersionKeeper } from '@roomwire/projections/versionKeeper';
import { createCommandApi } from '@roomwire/command-api/commandApi';
import { StateSnapshots } from '@roomwire/command-api/handling/stateSnapshots';
import { OutcomeWatch } from '@roomwire/command-api/webhook-outcomes/outcomeWatch';
import { RequestMetrics } from '@roomwire/command-api/http/requestTelemetry';
import { changesOf } from '@roomwire/projections/projectors';
import { createViewFold } from '@roomwire/shared/adapters/view-store/viewFold';
import { createConsoleCredentials } from '@roomwire/shared/credentials/consoleCredentials';
import { createSecretBox, deriveKeys } from '@roomwire/shared/credentials/secretBox';
import { createSessionVerifier } from '@roomwire/shared/credentials/sessionToken';
import { AccessRecorder } from '@roomwire/shared/runtime/accessRecorder';
import { LastUses } from '@roomwire/shared/runtime/lastUses';
import { createWebhookConsumer } from '@roomwire/webhook-consumer/webhookConsumer';
import { openFactJournal } from '@roomwire/shared/adapters/fact-journal/factJournal';
import { webhookOutcomes } from '@roomwire/shared/wire/bus/webhookOutcomes';
import { isGroupRecord, roomRecords } from '@roomwire/shared/wire/bus/roomRecord';
import { createMessageFactOf, outcomeFactOf } from '@roomwire/analytics/facts/facts';
import { streamNames } from '@roomwire/analytics/facts/factStream';
import { usesDataFolder } from '../engines/engines.js';
import { createRebuildRequestHandler } from './rebuildRequests.js';
import { readConsole } from '@roomwire/command-api/console-page/consolePage';
import { consoleFolder } from './consoleFolder.js';
import { awaitReadModels } from './awaitReadModels.js';
import { startBackends } from './backends.js';
import { startJobKeeper } from './jobKeeper.js';
import { provideHistory, startHistoryArchiver, startHistoryKeeper } from './history.js';
import { startRoomEventKeeper } from './roomEvents.js';
import { startConnectionKeeper } from './connectionRecord.js';
import { startScheduleKeeper } from './schedules.js';
import { startRevocationPruner } from './revocations.js';
import type { StartService, ServiceContext } from './service.js';
import { openSealingKeys, secretBoxFor } from '../secrets/sealingKeys.js';

export const startProjections: StartService = async ({
  adapters,
  log: openLog,
  hindrances,
  closing,
  config,
  logger,
  clock,
  random,
  show,
  tracing,
  limits,
}) => {
  const [log, bus] = [await openLog(), await adapters.bus()];
  const { views, versions } = await adapters.viewStores();
  const payloads = await adapters.payloads();
  await startHistoryArchiver({ adapters, closing, clock, show });
  // A data folder has one owner; a database may be that of a Roomwire on another log.
  const refusesOtherLogs = !config.engines.readModels.onFiles;
  const projections = createProjections({
    ...{ log, views, bus, payloads, clock, logger, tracing },
    refusesOtherLogs,
  });
  closing.push(() => projections.close());
  hindrances.push(() => projections.hindrance());
  show({ name: 'projections', collect: projections.collect });
  const index = await adapters.auditIndex();
  const followed = [
    { name: 'read-models', checkpoint: () => views.checkpoint() },
    { name: 'audit-index', checkpoint: () => index.checkpoint() },
  ];
  show({ name: 'projection-lag', collect: projectionLag({ log, clock, projections: followed }) });
  const follower = createAuditFollower({ log, index, logger, refusesOtherLogs });
  closing.push(() => follower.close());
  await follower.start();
  await projections.start();
  // Before they have caught up: readers of other versions must learn what happens meanwhile.
  const versionKeeper = createVersionKeeper({ log, versions, logger });
  closing.push(() => versionKeeper.close());
  await versionKeeper.start();
  await projections.caughtUp;
  const heads = createAuditHeads({ log, clock, random, logger });
  closing.push(() => heads.close());
  await heads.start();
  // Beside the projections, because this process has the event log and the bus anyway.
  const keeper = createPayloadKeeper({ log, payloads, logger, limits, refusesOtherLogs });
  closing.push(() => keeper.close());
  await keeper.start();
  await startHistoryKeeper({ adapters, closing, clock, logger }, { log, views, refusesOtherLogs });
  await startRoomEventKeeper({ adapters, closing, logger }, { log, refusesOtherLogs });
  await startScheduleKeeper({ adapters, closing, logger }, { log, refusesOtherLogs });
  await startConnectionKeeper({ adapters, closing, clock, config, logger, show }, { log, refusesOtherLogs });
  await startJobKeeper({ adapters, closing, clock, logger }, { log, refusesOtherLogs });
  await startRevocationPruner({ closing, clock, logger, random }, { log, views });
  const recorder = createDeadLetterRecorder({
    ...{ bus, log, views, payloads, random, clock, logger, limits },
    mostEntries: config.deadLetters,
  });
  closing.push(() => recorder.close());
  await recorder.start();
  if (!usesDataFolder(config.engines)) return;
  const { path } = await adapters.folder();
  const rebuildRequests = createRebuildRequestHandler({ folder: path, log, views, logger });
  closing.push(() => rebuildRequests.close());
  await rebuildRequests.start();
};

export const startCommandApi: StartService = async (context) => {
  const { services, log: openLog, config, logger, clock, random, adapters } = context;
  const { front, closing, secrets, show, tracing, limits } = context;
  const activity = await context.activity();
  const { sessionSecret, previousSessionSecrets, masterKeys } = await secrets();
  const oidc = config.oidc === undefined ? {} : { oidc: config.oidc };
  const sessionSecrets = { secret: sessionSecret, previousSecrets: previousSessionSecrets };
  const sessions = createSessionVerifier({ ...sessionSecrets, ...oidc }, clock);
  const consoleCredentials = createConsoleCredentials(
    sessionSecrets,
    deriveKeys(masterKeys, 'signingKeys'),
    clock,
  );
  const log = await openLog();
  const { views, usage } = await adapters.viewStores();
  const waiting = new AbortController();
  closing.push(async () => waiting.abort());
  await awaitReadModels({ log, views, logger, signal: waiting.signal });
  const secretBoxes = {
    signingKeys: secretBoxFor(masterKeys, 'signingKeys'),
    webhookSecrets: secretBoxFor(masterKeys, 'webhookSecrets'),
  };
  const lastUses = new LastUses({ usage, clock, logger });
  closing.push(() => lastUses.close());
  const options = {
    rateLimit: { perSecond: config.restRate, burst: config.restBurst },
    messageRate: config.httpPublishRate,
    corsOrigins: config.corsOrigins,
    failedAuthDelayMs: config.failedAuthDelayMs,
    trustedProxies: config.trustedProxies,
    consoleGatewayUrl: config.consoleGatewayUrl,
  };
  const folder = config.console ? consoleFolder() : undefined;
  const console = folder === undefined ? undefined : await readConsole(folder);
  const [auditIndex, payloads] = [await adapters.auditIndex(), await adapters.payloads()];
  const createFold = () => createViewFold(changesOf);
  const past = { auditIndex, createFold };
  // On files the calls are made where the queues are, in the same process or nowhere.
  const hasBus = !config.engines.bus.onFiles || services.includes('webhook-consumer');
  const openBus = hasBus ? () => adapters.watchedBus() : undefined;
  const outcomes = new OutcomeWatch({ openBus, clock, random });
  closing.push(() => outcomes.close());
  const redriveWatch = new RedriveWatch({ clock, limits });
  closing.push(() => redriveWatch.close());
  const metrics = new RequestMetrics();
  show({ name: 'command-api', collect: metrics.collect });
  const accessLog = await adapters.accessLog();
  const accessRecorder = new AccessRecorder({ accessLog, clock, logger, limits, activity });
  closing.push(() => accessRecorder.close());
  const snapshots = new StateSnapshots({ log, store: await adapters.snapshots(), logger });
  closing.push(() => snapshots.close());
  const schedules = await adapters.schedules();
  const ports = {
    signInWays: { oidc: config.consoleOidc },
    activity: await adapters.activity(),
    ...{ accessLog, accessRecorder, snapshots },
    ...{
      log,
      views,
      usage,
      payloads,
      sessions,
      consoleCredentials,
      schedules,
      connectionRecord: await adapters.connectionRecord(),
      secretBoxes,
      clock,
      random,
      logger,
      tracing,
      limits,
    },
  };
  const { backends } = context;
  provideHistory(context);
  if (!services.includes('gateway') && !config.engines.bus.onFiles) startBackends(context);
  const onBus = {
    publishing: () => backends.publishing,
    history: () => backends.history,
    liveState: () => backends.liveState,
    liveConnections: () => backends.liveConnections,
    jobGroups: () => backends.jobGroups,
  };
  front.serve(
    createCommandApi({
      ...{ ...past, ...ports, ...onBus, lastUses, outcomes, redriveWatch, metrics, console },
      options,
    }),
  );
};

export const startWebhookConsumer: StartService = async ({
  config,
  logger,
  clock,
  random,
  adapters,
  closing,
  secrets,
  show,
  tracing,
  limits,
  activity,
}) => {
  const secretBox = createSecretBox(await openSealingKeys(config, 'webhookSecrets', secrets));
  const [views, bus] = [await adapters.views(), await adapters.bus()];
  const consumer = createWebhookConsumer({
    ...{ bus, views, clock, logger, random, tracing, limits },
    activity: await activity(),
    roomEvents: await adapters.roomEvents(),
    secretBox,
    options: {
      allowPrivate: config.webhookAllowPrivate,
      allowNetworks: config.webhookAllowNetworks,
      denyNetworks: config.webhookDenyNetworks,
      proxy: config.webhookProxy,
      maxBacklogCalls: config.webhookBacklogCalls,
      maxBacklogBytes: config.webhookBacklogBytes,
    },
  });
  closing.push(() => consumer.close());
  show({ name: 'webhook-consumer', collect: consumer.collect });
  await consumer.start();
};

/** As long as the broker keeps the longer of the streams, and a weekend more. */
const keptMs = 7 * 86_400_000;

/** Journals the records of an in-process bus for the analytics, which run in another process. */
export const startFactJournal = async ({
  config,
  logger,
  clock,
  adapters,
  closing,
}: ServiceContext): Promise<void> => {
  if (!config.analytics || !config.engines.bus.onFiles) return;
  const [folder, bus] = [await adapters.folder(), await adapters.bus()];
  const journal = openFactJournal(folder, { streams: streamNames, keptMs, clock, logger });
  closing.push(() => journal.close());
  const messageFactOf = createMessageFactOf(config.analyticsPayloads);
  const readers = [
    await bus.read(roomRecords, { interest: 'all' }, (record) => {
      if (!isGroupRecord(record)) journal.append('messages', messageFactOf(record, clock.now()));
    }),
    await bus.read(webhookOutcomes, { interest: 'all' }, (outcome) =>
      journal.append('webhook-outcomes', outcomeFactOf(outcome)),
    ),
  ];
  closing.push(async () => void (await Promise.all(readers.map((reader) => reader.close()))));
};
