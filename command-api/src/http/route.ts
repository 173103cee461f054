import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnsweredError } from './protocolErrors.js';
import type { RecordParts } from './sendJson.js';
import type { Schema } from './schema.js';
import type { RejectionCode } from '../handling/rejections.js';
import type { Session } from '@roomwire/shared/credentials/sessionToken';
import type { Permission } from '@roomwire/shared/domain/permission';
import type { Role } from '@roomwire/shared/domain/role';
import type { TraceParent } from '@roomwire/shared/wire/bus/channel';
import type { CommandContext } from '../handling/streamWriter.js';
import type { Random } from '@roomwire/shared/ports/random';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { CommandHandler } from '../handling/commandHandler.js';

/** The sections of the API's description, in their order. */
export const tags = {
  Apps: 'A project owns apps; an app owns rooms and defines their topics.',
  Rooms: 'Where messages are exchanged: `app-slug/room-slug/topic-name`.',
  'Room grants': 'Permissions in a room. A room without grants is open; the first grant makes it private.',
  Actors: 'Clients of the socket protocol: devices, users, services, agents.',
  Scopes: 'An access scope isolates a tenant inside a project.',
  'Signing keys': 'Let your backend mint short-lived client tokens.',
  Revocations: 'End the client tokens that an actor was given before a time.',
  Organizations: 'Owners of projects, with their plan and usage.',
  Projects: 'Owners of apps, actors, scopes and signing keys.',
  'API keys': 'Credentials of your backend.',
  Console: 'What a page needs that shows and changes a project for a user.',
  'Session revocations': 'Sessions of an organization that have ended before their time.',
  Blueprints: 'Registered, versioned definitions from which apps are created.',
  Publishing: 'Messages from a backend that has no socket.',
  'Message history': 'The messages that topics keep, where their app has switched that on.',
  Presence: 'Who is in a room at this moment, and how many listen.',
  Connections: 'What happened to the connections of an organization, for a week.',
  'Worker groups': 'Groups whose members share the messages of a topic as jobs.',
  'Webhook secrets': 'Secrets that sign the webhook calls of a project; two are valid during a rotation.',
  Audit: 'The history of an organization, and any record at a past time.',
  'Webhook outcomes': 'Outcomes of the attempts of webhook calls, as they happen.',
  'Webhook circuits': 'Endpoints that answer nobody, whose calls wait.',
  'Webhook dead letters': 'Webhook calls that failed after every attempt.',
} as const;

export type Tag = keyof typeof tags;

/** What a project API key opens. */
export interface ProjectCaller {
  readonly organizationId: string;
  readonly projectId: string;
  readonly principal: string;
  /** Null for all. */
  readonly permissions: readonly Permission[] | null;
  /** A viewer at the console, who sees no credentials of webhooks. */
  readonly isViewer?: true;
  /** An operator at the console. */
  readonly isOperator?: true;
}

/** What a user session token opens. */
export interface SessionCaller {
  readonly principal: string;
  readonly organizationIds: readonly string[];
  /** Organizations that have revoked the session, which are not among them. */
  readonly revokedIn: ReadonlySet<string>;
  /** By organization; whoever has no role in one is its admin. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Staff of the service, who may see every organization and set what customers may not. */
  readonly isOperator: boolean;
  /** What the session itself says. */
  readonly session: Pick<Session, 'subject' | 'tokenId' | 'issuedAt' | 'expiresAt'>;
}

/** Whoever has no credential yet. */
export interface PublicCaller {
  /** Of the client. */
  readonly address: string;
  /** Requests are counted by it. */
  readonly principal: string;
}

/** What the session may do in an organization that it opens. */
export const roleIn = ({ roles, isOperator }: SessionCaller, organizationId: string): Role =>
  isOperator ? 'admin' : (roles.get(organizationId) ?? 'admin');

export interface ApiRequest<By, Body, Query> {
  readonly caller: By;
  /** Path parameters; those named `...Id` are valid UUIDs, but for `actorId`, which may be a public key id; others are any text. */
  readonly path: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
  /** ISO 8601, the time at which the whole request had arrived. */
  readonly now: string;
  readonly requestId: string;
  /** The context of its trace; undefined where it is not traced. */
  readonly traceparent?: TraceParent | undefined;
}

/** The parts of a request that are needed to find what its path names. */
export type ProjectRequest = Pick<ApiRequest<ProjectCaller, unknown, unknown>, 'caller' | 'path'>;
export type SessionRequest = Pick<ApiRequest<SessionCaller, unknown, unknown>, 'caller' | 'path'>;

/** A row of the API's table: everything about an endpoint. */
interface RouteShape<Access extends string, By, Body, Query, Answer, Read, Other> {
  /** Which credential opens the route. */
  readonly access: Access;
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Relative to `/v1`, with `{name}` for a path parameter, as in OpenAPI. */
  readonly path: string;
  /** What generated clients call it, unique in the API, e.g. `createApp`. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  /** Fields that are not listed are rejected. A route without it takes no body. */
  readonly body?: Schema<Body>;
  /** Reads and checks the body itself, which may be MessagePack too; the schema only describes it. */
  readonly readBody?: ReadBody<Read>;
  /** The limit on requests does not count these: the route has one of its own. */
  readonly hasOwnRate?: true;
  /** Errors of the socket's protocol that are the route's answers, too. */
  readonly protocolErrors?: readonly AnsweredError[];
  /** Parameters that are not listed are ignored. */
  readonly query?: Schema<Query>;
  /** 204 is answered without a body. */
  readonly status: SuccessStatus;
  readonly answer?: Schema<Answer>;
  /** A second kind of success: what the route answers where `handle` resolves with `Otherwise`. */
  readonly otherwise?: {
    readonly status: SuccessStatus;
    readonly answer: Schema<Other>;
    readonly example: NoInfer<Other>;
  };
  /** Of a request and of the answer to it, for the API's description. */
  readonly example?: { readonly body?: NoInfer<Body>; readonly answer?: NoInfer<Answer> };
  /**
   * The rejections that are the route's own. Every route of its access has others: credentials, ids in the path, the
   * schemas of body and query, rates and outages.
   */
  readonly rejections: readonly RejectionCode[];
  /** Resolves with the answer's body, or rejects with one of the rejections. */
  handle(
    request: ApiRequest<By, NoInfer<Read>, NoInfer<Query>>,
  ): Promise<NoInfer<Answer | InParts<Answer> | Otherwise<Other>>>;
}

export type SuccessStatus = 200 | 201 | 202 | 204;

/** The body of a route's second kind of success. */
export class Otherwise<Other> {
  readonly body: Other;

  constructor(body: Other) {
    this.body = body;
  }
}

/** Rejects with an `ErrorAnswer`, for a body that is missing too. */
export type ReadBody<Read> = (
  this: void,
  request: IncomingMessage,
  response: ServerResponse,
  at: { id: string; now: string },
) => Promise<Read>;

/** A list, or that of a page, may be read while it is sent. */
type InParts<Answer> = Answer extends readonly (infer T)[]
  ? RecordParts<T>
  : Answer extends { readonly data: readonly (infer T)[] }
    ? Omit<Answer, 'data'> & { readonly data: AsyncIterable<T> }
    : never;

type ProjectRoute<Body, Query, Answer, Read, Other> = RouteShape<
  'project',
  ProjectCaller,
  Body,
  Query,
  Answer,
  Read,
  Other
> & {
  /** What an API key needs that has not all of them. */
  readonly permission: Permission;
  /** What some of its requests need as well. */
  readonly furtherPermissions?: readonly Permission[];
};
type SessionRoute<Body, Query, Answer, Other> = RouteShape<
  'session',
  SessionCaller,
  Body,
  Query,
  Answer,
  Body,
  Other
> & {
  /** The least role in the organization of the path; by default `viewer` for a read and `admin` for a write. */
  readonly role?: Role;
};

type PublicRoute<Body, Query, Answer> = RouteShape<'none', PublicCaller, Body, Query, Answer, Body, never>;

export type Route =
  | ProjectRoute<unknown, unknown, unknown, unknown, unknown>
  | SessionRoute<unknown, unknown, unknown, unknown>
  | PublicRoute<unknown, unknown, unknown>;

export type Caller = ProjectCaller | SessionCaller | PublicCaller;

// The types of body, query and answer come from their schemas.

/** A route that a project API key opens. */
export const projectRoute = <Body = undefined, Query = undefined, Answer = void, Read = Body, Other = never>(
  route: Omit<ProjectRoute<Body, Query, Answer, Read, Other>, 'access'>,
): Route => ({ ...route, access: 'project' });

/** A route that a user session token opens. */
export const sessionRoute = <Body = undefined, Query = undefined, Answer = void, Other = never>(
  route: Omit<SessionRoute<Body, Query, Answer, Other>, 'access'>,
): Route => ({ ...route, access: 'session' });

/** A route that needs no credential. */
export const publicRoute = <Body = undefined, Query = undefined, Answer = void>(
  route: Omit<PublicRoute<Body, Query, Answer>, 'access'>,
): Route => ({ ...route, access: 'none' });

/** Everything but `GET` (and `HEAD`). */
export const isWrite = ({ method }: Pick<Route, 'method'>): boolean => method !== 'get';

/** The path parameter that names the organization of a session route. */
export const organizationParameter = 'orgId';

/** The least role of a session in the organization that the path names. */
export const roleNeeded = (route: Route): Role => {
  const given = route.access === 'session' ? route.role : undefined;
  return given ?? (isWrite(route) ? 'admin' : 'viewer');
};

/** The metadata of the events of an organization's command. */
export const sessionContext = (
  { now, caller, requestId, traceparent }: ApiRequest<Pick<SessionCaller, 'principal'>, unknown, unknown>,
  organizationId: string,
  projectId: string | null = null,
): CommandContext => ({
  occurredAt: now,
  organizationId,
  projectId,
  principal: caller.principal,
  requestId,
  ...(traceparent === undefined ? undefined : { traceparent }),
});

/** The metadata of the events of a project's command. */
export const projectContext = (request: ApiRequest<ProjectCaller, unknown, unknown>): CommandContext =>
  sessionContext(request, request.caller.organizationId, request.caller.projectId);

export const pathParameterNames = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

/** A path parameter of the route's own path. */
export const pathValue = (
  request: { readonly path: Readonly<Record<string, string>> },
  name: string,
): string => {
  const value = request.path[name];
  if (value === undefined) throw new TypeError(`The route has no path parameter ${name}`);
  return value;
};

/** What the routes of a resource work with. */
export interface ResourceDeps {
  readonly commands: CommandHandler;
  readonly views: ViewReader;
  readonly usage: UsageReader;
  readonly random: Random;
}
