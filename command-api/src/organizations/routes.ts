import { unlimitedPlan } from '@roomwire/shared/domain/organizations/organization';
import { findPage, type PageQuery } from '../http/pagination.js';
import type { ResourceDeps } from '../http/resourceDeps.js';
import { sessionContext, sessionRoute, type Route } from '../http/route.js';
import { organizationOf, requireOperator } from './access.js';
import { existing, organizationTarget } from './decider.js';
import { presentOrganization } from './present.js';
import {
  createOrganizationSchema,
  organizationsQuerySchema,
  updateOrganizationSchema,
  type CreateOrganizationBody,
  type UpdateOrganizationBody,
} from './schemas.js';

export const organizationRoutes = ({ commands, views, random }: ResourceDeps): readonly Route[] => [
  sessionRoute<CreateOrganizationBody>({
    method: 'post',
    path: '/organizations',
    summary: 'Create an organization',
    body: createOrganizationSchema,
    status: 201,
    async handle(request) {
      requireOperator(request.caller);
      const organizationId = random.uuid();
      const { name, plan } = request.body;
      const organization = { organizationId, name, plan: { ...unlimitedPlan, ...plan } };
      return commands.execute(
        organizationTarget(organizationId),
        { type: 'CreateOrganization', organization },
        sessionContext(request, organizationId),
        (state) => presentOrganization(existing(state, organizationId)),
      );
    },
  }),

  sessionRoute<undefined, PageQuery>({
    method: 'get',
    path: '/organizations',
    summary: 'List the organizations of the session, or all of them for an operator',
    query: organizationsQuerySchema,
    status: 200,
    async handle({ caller, query }) {
      const filter = caller.isOperator ? {} : { organizationId: { $in: caller.organizationIds } };
      return findPage(views, 'organizations', filter, query, presentOrganization);
    },
  }),

  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}',
    summary: 'Get an organization',
    status: 200,
    async handle(request) {
      return presentOrganization(await organizationOf(commands, request));
    },
  }),

  sessionRoute<UpdateOrganizationBody>({
    method: 'patch',
    path: '/organizations/{orgId}',
    summary: 'Change an organization',
    body: updateOrganizationSchema,
    status: 200,
    async handle(request) {
      const { organizationId } = await organizationOf(commands, request);
      const changes = request.body;
      if (changes.plan !== undefined || changes.status !== undefined) requireOperator(request.caller);
      return commands.execute(
        organizationTarget(organizationId),
        { type: 'UpdateOrganization', organizationId, changes },
        sessionContext(request, organizationId),
        (state) => presentOrganization(existing(state, organizationId)),
      );
    },
  }),
];
