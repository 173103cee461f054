import type { ConsoleCredentials } from '@roomwire/shared/credentials/consoleCredentials';
import { observerId } from '@roomwire/shared/credentials/observerToken';
import type { ConsoleSession } from '@roomwire/shared/domain/consoleAccess';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { unwritten } from '../handling/writeModel.js';
import {
  roleIn,
  sessionContext,
  sessionRoute,
  type ResourceDeps,
  type Route,
  type SessionCaller,
} from '../http/route.js';
import { projectOf } from '../projects/resource.js';
import { scopeOfQuery } from '../scopes/resource.js';
import { consoleAccessTarget } from './decider.js';
import { consolePermissions } from './permissions.js';
import {
  consoleAccessQuerySchema,
  consoleAccessSchema,
  exampleConsoleAccess,
  observedScope,
} from './resource.js';

export interface ConsoleDeps {
  readonly consoleCredentials: Pick<ConsoleCredentials, 'mintKey' | 'mintToken'>;
}

export const consoleRoutes = ({
  commands,
  views,
  random,
  consoleCredentials,
}: ResourceDeps & ConsoleDeps): readonly Route[] => [
  sessionRoute({
    method: 'post',
    path: '/organizations/{orgId}/projects/{projectId}/console-access',
    operationId: 'giveConsoleAccess',
    tag: 'Console',
    summary: 'Get an API key and the client token of an observer, for an hour',
    role: 'viewer',
    query: consoleAccessQuerySchema,
    status: 201,
    answer: consoleAccessSchema,
    example: { answer: exampleConsoleAccess },
    rejections: ['organization_not_found', 'project_not_found', 'scope_not_found'],
    async handle(request) {
      const { organizationId, projectId } = await projectOf(commands, request);
      const scope = await scopeOfQuery(views, { caller: { projectId } }, request.query.scope);
      const accessScopeId = scope?.accessScopeId ?? null;
      const role = roleIn(request.caller, organizationId);
      const session = consoleSessionOf(request.caller, organizationId);
      const issuedAt = Date.parse(request.now);
      const expiresAt = Math.min(
        issuedAt + limitTable.consoleAccessMs.value,
        request.caller.session.expiresAt * 1_000,
      );
      const until = new Date(expiresAt).toISOString();
      const consoleAccessId = random.uuid();
      await commands.execute(
        unwritten(consoleAccessTarget(consoleAccessId)),
        {
          type: 'GiveConsoleAccess',
          access: { consoleAccessId, organizationId, projectId, accessScopeId, role, expiresAt: until },
        },
        sessionContext(request, organizationId, projectId),
      );
      return {
        apiKey: consoleCredentials.mintKey({ projectId, role, session, expiresAt }),
        permissions: consolePermissions[role],
        token: consoleCredentials.mintToken({ projectId, accessScopeId, session }, { issuedAt, expiresAt }),
        actorTokenId: observerId(projectId, session.principal),
        accessScope: observedScope(scope),
        expiresAt: until,
      };
    },
  }),
];

const consoleSessionOf = (
  { principal, isOperator, session: { subject, tokenId, issuedAt } }: SessionCaller,
  organizationId: string,
): ConsoleSession => ({ organizationId, subject, principal, isOperator, tokenId, issuedAt });
