import { Rejection } from '../handling/rejections.js';
import { unwritten } from '../handling/writeModel.js';
import { examplePage, findPage, pageOf } from '../http/listing.js';
import { type ResourceDeps, sessionContext, sessionRoute, type Route } from '../http/route.js';
import { organizationOf } from '../organizations/resource.js';
import { sessionRevocationTarget } from './decider.js';
import {
  createSessionRevocationSchema,
  exampleNewSessionRevocation,
  exampleSessionRevocation,
  presentSessionRevocation,
  sessionRevocationSchema,
  sessionRevocationsQuerySchema,
} from './resource.js';

const path = '/organizations/{orgId}/session-revocations';

export const sessionRevocationRoutes = ({ commands, views, random }: ResourceDeps): readonly Route[] => [
  sessionRoute({
    method: 'post',
    path,
    operationId: 'revokeSessions',
    tag: 'Session revocations',
    summary: 'End one session, or all that a subject has, in this organization',
    body: createSessionRevocationSchema,
    status: 201,
    answer: sessionRevocationSchema,
    example: { body: exampleNewSessionRevocation, answer: exampleSessionRevocation },
    rejections: ['organization_not_found', 'session_not_named'],
    async handle(request) {
      const { organizationId } = await organizationOf(commands, request);
      const { jti = null, subject = null } = request.body;
      if ((jti === null) === (subject === null)) throw new Rejection('session_not_named', {});
      const revocationId = random.uuid();
      const byOperator = request.caller.isOperator;
      const revocation = { revocationId, organizationId, jti, subject, byOperator };
      return commands.execute(
        unwritten(sessionRevocationTarget(revocationId)),
        { type: 'RevokeSessions', revocation },
        sessionContext(request, organizationId),
        (made) => presentSessionRevocation(existing(made)),
      );
    },
  }),

  sessionRoute({
    method: 'get',
    path,
    operationId: 'listSessionRevocations',
    tag: 'Session revocations',
    summary: 'List the session revocations of the organization; of several for one subject, the latest',
    query: sessionRevocationsQuerySchema,
    status: 200,
    answer: pageOf(sessionRevocationSchema),
    example: { answer: examplePage(exampleSessionRevocation) },
    rejections: ['organization_not_found'],
    async handle(request) {
      const { organizationId } = await organizationOf(commands, request);
      return findPage(
        views,
        'sessionRevocations',
        { organizationId },
        request.query,
        presentSessionRevocation,
      );
    },
  }),
];

const existing = <T>(made: T | undefined): T => {
  if (made === undefined) throw new TypeError('The revocation was not recorded');
  return made;
};
