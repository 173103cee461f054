import type { ConnectionRecord, RecordedConnection } from '@roomwire/shared/ports/connectionRecord';
import type { LiveConnections } from '@roomwire/shared/ports/liveConnections';
import { available } from '../live-state/available.js';
import type { CommandHandler } from '../handling/commandHandler.js';
import { Rejection } from '../handling/rejections.js';
import { unwritten } from '../handling/writeModel.js';
import {
  pathValue,
  sessionContext,
  sessionRoute,
  type ResourceDeps,
  type Route,
  type SessionRequest,
} from '../http/route.js';
import { organizationOf } from '../organizations/resource.js';
import { connectionTarget } from './decider.js';
import {
  connectionPageSchema,
  connectionsQuerySchema,
  exampleConnectionPage,
  exampleTimeline,
  limitOf,
  presentConnection,
  presentFact,
  timelineQuerySchema,
  timelineSchema,
} from './resource.js';

export interface ConnectionDeps {
  readonly connectionRecord: Pick<ConnectionRecord, 'find' | 'get' | 'timeline'>;
  /** Undefined while this process cannot ask gateways. */
  readonly liveConnections: () => LiveConnections | undefined;
}

const path = '/organizations/{orgId}/connections';
const tag = 'Connections';

export const connectionRoutes = ({
  commands,
  connectionRecord,
  liveConnections,
}: ConnectionDeps & Pick<ResourceDeps, 'commands'>): readonly Route[] => {
  const found = (request: SessionRequest) => findConnection({ commands, connectionRecord }, request);
  return [
    sessionRoute({
      method: 'get',
      path,
      operationId: 'listConnections',
      tag,
      summary: 'List connections, the newest first: those that are open, and those of the last days',
      query: connectionsQuerySchema,
      status: 200,
      answer: connectionPageSchema,
      example: { answer: exampleConnectionPage },
      rejections: ['organization_not_found'],
      async handle(request) {
        const { organizationId } = await organizationOf(commands, request);
        const { projectId, actorId, room, state, cursor } = request.query;
        const { connections, next } = await connectionRecord.find({
          ...{ organizationId, projectId: projectId?.toLowerCase(), actorTokenId: actorId?.toLowerCase() },
          ...{ room, state },
          ...{ limit: limitOf(request.query), after: cursor },
        });
        return { data: connections.map(presentConnection), nextCursor: next ?? null };
      },
    }),

    sessionRoute({
      method: 'get',
      path: `${path}/{connectionId}/timeline`,
      operationId: 'getConnectionTimeline',
      tag,
      summary: 'Get what happened to a connection, in order',
      query: timelineQuerySchema,
      status: 200,
      answer: timelineSchema,
      example: { answer: exampleTimeline },
      rejections: ['organization_not_found', 'connection_not_found'],
      async handle(request) {
        const connection = await found(request);
        const limit = limitOf({ limit: 100, ...request.query }, 1_000);
        const { connectionId } = connection;
        const { cursor: after } = request.query;
        const facts = await connectionRecord.timeline({ connectionId, limit: limit + 1, after });
        const shown = facts.slice(0, limit);
        return {
          connection: presentConnection(connection),
          data: shown.map(presentFact),
          nextCursor: facts.length > limit ? (shown.at(-1)?.place ?? null) : null,
        };
      },
    }),

    sessionRoute({
      method: 'delete',
      path: `${path}/{connectionId}`,
      operationId: 'closeConnection',
      role: 'editor',
      tag,
      summary: 'Close a connection. Its actor may connect again',
      status: 204,
      rejections: ['organization_not_found', 'connection_not_found', 'connection_closed'],
      async handle(request) {
        const { organizationId, projectId, actorTokenId, connectionId, gateway, closed } =
          await found(request);
        if (closed !== null) throw new Rejection('connection_closed', { connectionId });
        const gateways = available(liveConnections());
        // The event first: it must not be closed without a record of who wanted it.
        await commands.execute(
          unwritten(connectionTarget(connectionId)),
          { type: 'CloseConnection', connection: { connectionId, projectId, actorTokenId } },
          sessionContext(request, organizationId, projectId),
        );
        if (!(await gateways.close(gateway, connectionId)))
          throw new Rejection('connection_closed', { connectionId });
      },
    }),
  ];
};

const findConnection = async (
  {
    commands,
    connectionRecord,
  }: { readonly commands: CommandHandler; readonly connectionRecord: Pick<ConnectionRecord, 'get'> },
  request: SessionRequest,
): Promise<RecordedConnection> => {
  const { organizationId } = await organizationOf(commands, request);
  const connectionId = pathValue(request, 'connectionId').toLowerCase();
  const connection = await connectionRecord.get(organizationId, connectionId);
  if (connection === undefined) throw new Rejection('connection_not_found', { connectionId });
  return connection;
};
