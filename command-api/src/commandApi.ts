import type { RequestListener } from 'node:http';
import express from 'express';
import type { ConsoleCredentials } from '@roomwire/shared/credentials/consoleCredentials';
import type { KeyPurpose, SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { SessionVerifier } from '@roomwire/shared/credentials/sessionToken';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Random } from '@roomwire/shared/ports/random';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import type { CallPayloadDeps } from '@roomwire/shared/runtime/callPayloads';
import type { AccessRecorder } from '@roomwire/shared/runtime/accessRecorder';
import type { LastUses } from '@roomwire/shared/runtime/lastUses';
import type { AuditIndex } from '@roomwire/shared/ports/auditIndex';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import type { CreateViewFold, ViewReader } from '@roomwire/shared/ports/viewStore';
import { reportRefusal } from './access-log/refusals.js';
import { accessLogRoutes, type AccessLogDeps } from './access-log/routes.js';
import { activityRoutes, type ActivityRouteDeps } from './activity/routes.js';
import { actorRoutes } from './actors/routes.js';
import { apiKeyRoutes } from './api-keys/routes.js';
import { appRoutes } from './apps/routes.js';
import type { AuditDeps } from './audit/auditReads.js';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { createReadTurns } from './audit/readTurns.js';
import { auditRoutes } from './audit/routes.js';
import { blueprintRoutes } from './blueprints/routes.js';
import { consoleRoutes, type ConsoleDeps } from './console/routes.js';
import { signInRoutes, type SignInDeps } from './console/signInRoutes.js';
import { connectionRoutes, type ConnectionDeps } from './connections/routes.js';
import { redriveRoutes, type RedriveDeps } from './dead-letters/redriveRoutes.js';
import { deadLetterRoutes } from './dead-letters/routes.js';
import { explainRoutes } from './explain/routes.js';
import { historyRoutes, type HistoryDeps } from './history/routes.js';
import { jobGroupRoutes, type JobGroupDeps } from './job-groups/routes.js';
import { impactRoutes } from './impact/routes.js';
import { liveStateRoutes, type LiveStateDeps } from './live-state/routes.js';
import { connectSources } from './console/signInWays.js';
import { consolePage, type ConsoleFiles } from './console-page/consolePage.js';
import { createCommandHandler } from './handling/commandHandler.js';
import type { StateSnapshots } from './handling/stateSnapshots.js';
import { allowOrigins, type AllowedOrigins, securityHeaders } from './http/browserHeaders.js';
import { createAuthenticator } from './http/authenticate.js';
import { createAuthorizer } from './http/authorize.js';
import { sharedReads } from './http/sharedReads.js';
import { answerErrors, answerUnknownRoute, createFailureAnswerer, rejectOptions } from './http/failures.js';
import { mountRoutes } from './http/mountRoutes.js';
import { createRateLimiter } from './http/rateLimit.js';
import { assignRequestId, takingOriginForm } from './http/request.js';
import { RequestMetrics } from './http/requestTelemetry.js';
import type { Route } from './http/route.js';
import { docsPage, serveDescription, serveSocketDescription } from './openapi/pages.js';
import { organizationRoutes } from './organizations/routes.js';
import { FailedAuthentications } from '@roomwire/shared/credentials/failedAuthentications';
import { RefusedCredentials } from '@roomwire/shared/credentials/refusedCredentials';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { RateLimit } from '@roomwire/shared/runtime/tokenBucket';
import { projectRoutes } from './projects/routes.js';
import { createMessageRate } from './publishing/messageRate.js';
import { scheduleRoutes, type ScheduleDeps } from './schedules/routes.js';
import { publishingRoutes, type PublishingDeps } from './publishing/routes.js';
import { grantRoutes } from './rooms/grantRoutes.js';
import { roomRoutes } from './rooms/routes.js';
import { tokenRevocationRoutes } from './revocations/routes.js';
import { scopeRoutes } from './scopes/routes.js';
import { signingKeyRoutes, type SigningKeyDeps } from './signing-keys/routes.js';
import { sessionRevocationRoutes } from './session-revocations/routes.js';
import { webhookCircuitRoutes } from './webhook-circuits/routes.js';
import { traceRoutes, type TraceDeps } from './trace/routes.js';
import { webhookOutcomeRoutes, type OutcomeDeps } from './webhook-outcomes/routes.js';
import { webhookSecretRoutes, type WebhookSecretDeps } from './webhook-secrets/routes.js';

export interface CommandApiDeps {
  readonly log: EventLog;
  readonly views: ViewReader;
  readonly usage: UsageReader;
  /** What queries of the past are answered from. */
  readonly auditIndex: AuditIndex;
  readonly createFold: CreateViewFold;
  readonly sessions: SessionVerifier;
  /** What the console works with. */
  readonly consoleCredentials: ConsoleCredentials;
  readonly signInWays: SignInDeps['signInWays'];
  /** What happens in projects, minute by minute. */
  readonly activity: ActivityRouteDeps['activity'];
  /** Encrypt signing keys and webhook secrets, each under a key of its own. */
  readonly secretBoxes: Readonly<Record<KeyPurpose, SecretBox>>;
  /** Folded states of long streams. */
  readonly snapshots?: StateSnapshots | undefined;
  /** What becomes of redrives. */
  readonly redriveWatch: RedriveDeps['redriveWatch'];
  /** What dead letters refer to. */
  readonly payloads: CallPayloadDeps['payloads'];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Is called with each API key that authenticates a request. */
  readonly lastUses: Pick<LastUses, 'used'>;
  /** Outcomes of webhook calls, for clients that watch them. */
  readonly outcomes: OutcomeDeps['outcomes'];
  /** Publishes what arrives over HTTP; undefined while this process cannot. */
  readonly publishing: PublishingDeps['publishing'];
  /** Message history; undefined while this process cannot read it. */
  readonly history: HistoryDeps['history'];
  /** Publishes that wait for their time. */
  readonly schedules: ScheduleDeps['schedules'];
  /** What gateways know; undefined while this process cannot ask them. */
  readonly liveState: LiveStateDeps['liveState'];
  /** Worker groups with jobs; undefined while this process cannot reach them. */
  readonly jobGroups: JobGroupDeps['jobGroups'];
  /** What happened to connections. */
  readonly connectionRecord: ConnectionDeps['connectionRecord'] & TraceDeps['connectionRecord'];
  /** Open ones; undefined while this process cannot reach them. */
  readonly liveConnections: ConnectionDeps['liveConnections'];
  /** Where requests are counted. */
  readonly metrics?: RequestMetrics;
  readonly tracing?: Tracing | undefined;
  readonly limits?: LimitReports | undefined;
  /** Where refused calls are listed from. */
  readonly accessLog: AccessLogDeps['accessLog'];
  /** Where they are reported. */
  readonly accessRecorder: Pick<AccessRecorder, 'refused'>;
  /** The built console; undefined where it is not served. */
  readonly console?: ConsoleFiles | undefined;
  readonly options: CommandApiOptions;
}

export interface CommandApiOptions {
  /** For each API key and each session subject, in this process; `perSecond` 0 is no limit. */
  readonly rateLimit: RateLimit;
  /** Messages a second that each API key may publish over HTTP, in this process; 0 is no limit. */
  readonly messageRate: number;
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /** Origins whose pages may call the API from a browser; undefined for none. */
  readonly corsOrigins: AllowedOrigins | undefined;
  /** The longest that the answer to a failed authentication is delayed; 0 delays none. */
  readonly failedAuthDelayMs: number;
  /** WebSocket address of the gateway for the console; undefined where it is at the same origin. */
  readonly consoleGatewayUrl?: string | undefined;
}

export type ApiDeps = SigningKeyDeps &
  WebhookSecretDeps &
  AuditDeps &
  AccessLogDeps &
  OutcomeDeps &
  PublishingDeps &
  HistoryDeps &
  ScheduleDeps &
  LiveStateDeps &
  RedriveDeps &
  JobGroupDeps &
  ConsoleDeps &
  SignInDeps &
  ActivityRouteDeps &
  ConnectionDeps &
  TraceDeps &
  CallPayloadDeps;

/** Every endpoint of the control API. A new resource is a folder beside the others and a line here. */
export const apiRoutes = (
  deps: ApiDeps,
  inTurn = createReadTurns({
    atOnce: limitTable.pastReads.value,
    mostOfOwner: limitTable.pastReadsPerOrganization.value,
  }),
): readonly Route[] => [
  ...organizationRoutes(deps),
  ...projectRoutes(deps),
  ...activityRoutes(deps),
  ...apiKeyRoutes(deps),
  ...sessionRevocationRoutes(deps),
  ...consoleRoutes(deps),
  ...signInRoutes(deps),
  ...blueprintRoutes(deps),
  ...appRoutes(deps),
  ...roomRoutes(deps),
  ...grantRoutes(deps),
  ...scopeRoutes(deps),
  ...actorRoutes(deps),
  ...signingKeyRoutes(deps),
  ...tokenRevocationRoutes(deps),
  // Before the routes of entries: `redrive` is not the id of one.
  ...redriveRoutes(deps),
  ...deadLetterRoutes(deps),
  ...publishingRoutes(deps),
  ...scheduleRoutes(deps),
  ...historyRoutes(deps),
  ...liveStateRoutes(deps),
  ...impactRoutes(deps),
  ...jobGroupRoutes(deps),
  ...webhookOutcomeRoutes(deps),
  ...webhookSecretRoutes(deps),
  ...webhookCircuitRoutes(deps),
  ...auditRoutes(deps, inTurn),
  ...accessLogRoutes(deps),
  ...explainRoutes(deps, inTurn),
  ...connectionRoutes(deps),
  ...traceRoutes(deps, inTurn),
];

/** The REST control API, as a request handler for an HTTP server. Serves `/v1`, `/docs` and `/console`; anything else is answered 404. */
export const createCommandApi = (deps: CommandApiDeps): RequestListener => {
  const { random, clock, options, tracing, metrics = new RequestMetrics() } = deps;
  const limits = deps.limits ?? new LimitReports(deps);
  const onUnknownEvent = () => void (metrics.unknownEvents += 1);
  const answerFailure = createFailureAnswerer({ ...deps, onUnknownEvent });
  const onWaitExpired = () => void (metrics.waitsExpired += 1);
  const commands = createCommandHandler({ ...deps, onWaitExpired });
  const takeMessages = createMessageRate(options.messageRate, { clock, limits });
  const failures = new FailedAuthentications({ clock, limits, longestDelayMs: options.failedAuthDelayMs });
  const routes = apiRoutes({ ...deps, commands, takeMessages, failures, publishes: metrics.publishes });
  // Each request asks for the same few: its credential, and what that belongs to.
  const views = sharedReads(deps.views);
  const answerRoutes = mountRoutes(routes, '/v1', {
    authenticator: createAuthenticator({
      ...deps,
      views,
      // There is no feed of changes here, as a gateway has one.
      refused: new RefusedCredentials({ clock, random, limits, brieflyMs: 1_000 }),
      failures,
    }),
    authorize: createAuthorizer({ views }),
    limitRate: createRateLimiter(options.rateLimit, clock),
    trustedProxies: options.trustedProxies,
    clock,
    answerFailure,
    onFailure: (error, request) => reportRefusal(deps.accessRecorder, error, request),
    metrics,
    tracing,
  });
  const others = express();
  others.disable('x-powered-by');
  others.disable('etag');
  others.use(rejectOptions(deps));
  others.get('/v1/openapi.json', serveDescription(routes));
  others.get('/v1/asyncapi.json', serveSocketDescription());
  others.use('/docs', docsPage());
  if (deps.console)
    others.use(
      '/console',
      consolePage(deps.console, {
        connectSources: connectSources(deps.signInWays),
        gatewayUrl: options.consoleGatewayUrl,
      }),
    );
  others.use(answerUnknownRoute(deps));
  others.use(answerErrors(answerFailure));

  const secure = securityHeaders();
  const allow = options.corsOrigins && allowOrigins(options.corsOrigins);
  return takingOriginForm((request, response) => {
    secure(response);
    assignRequestId(request, response, random);
    const answer = (): void => void (answerRoutes(request, response) || others(request, response));
    if (allow) allow(request, response, answer);
    else answer();
  }, deps);
};
