import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import { unwritten } from '../handling/writeModel.js';
import { examplePage, findPage, pageOf } from '../http/listing.js';
import { type ResourceDeps, sessionContext, sessionRoute, type Route } from '../http/route.js';
import {
  organizationOf,
  requireOperator,
  exampleNewOrganization,
  exampleOrganization,
  exampleUsage,
  organizationSchema,
  usageSchema,
  presentOrganization,
  usageOf,
  createOrganizationSchema,
  organizationsQuerySchema,
  updateOrganizationSchema,
} from './resource.js';
import { existing, organizationTarget } from './decider.js';

export const organizationRoutes = ({ commands, views, usage, random }: ResourceDeps): readonly Route[] => [
  sessionRoute({
    method: 'post',
    path: '/organizations',
    operationId: 'createOrganization',
    tag: 'Organizations',
    summary: 'Create an organization',
    body: createOrganizationSchema,
    status: 201,
    answer: organizationSchema,
    example: { body: exampleNewOrganization, answer: exampleOrganization },
    rejections: ['operator_required'],
    async handle(request) {
      requireOperator(request.caller);
      const organizationId = random.uuid();
      const { name, plan } = request.body;
      const organization = { organizationId, name, plan: { ...unlimitedPlan, ...plan } };
      return commands.execute(
        unwritten(organizationTarget(organizationId)),
        { type: 'CreateOrganization', organization },
        sessionContext(request, organizationId),
        (state) => presentOrganization(existing(state, organizationId)),
      );
    },
  }),

  sessionRoute({
    method: 'get',
    path: '/organizations',
    operationId: 'listOrganizations',
    tag: 'Organizations',
    summary: 'List the organizations of the session, or all of them for an operator',
    query: organizationsQuerySchema,
    status: 200,
    answer: pageOf(organizationSchema),
    example: { answer: examplePage(exampleOrganization) },
    rejections: [],
    async handle({ caller, query }) {
      const filter = caller.isOperator ? {} : { organizationId: { $in: caller.organizationIds } };
      return findPage(views, 'organizations', filter, query, presentOrganization);
    },
  }),

  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}',
    operationId: 'getOrganization',
    tag: 'Organizations',
    summary: 'Get an organization',
    status: 200,
    answer: organizationSchema,
    example: { answer: exampleOrganization },
    rejections: ['organization_not_found'],
    async handle(request) {
      return presentOrganization(await organizationOf(commands, request));
    },
  }),

  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}/usage',
    operationId: 'getUsage',
    tag: 'Organizations',
    summary: 'Get the usage of an organization: messages of this month, live connections and apps',
    status: 200,
    answer: usageSchema,
    example: { answer: exampleUsage },
    rejections: ['organization_not_found'],
    async handle(request) {
      return usageOf({ views, usage }, await organizationOf(commands, request), request.now);
    },
  }),

  sessionRoute({
    method: 'patch',
    path: '/organizations/{orgId}',
    operationId: 'updateOrganization',
    tag: 'Organizations',
    summary: 'Change an organization',
    body: updateOrganizationSchema,
    status: 200,
    answer: organizationSchema,
    example: { body: { plan: { maxApps: 20 } }, answer: exampleOrganization },
    rejections: ['organization_not_found', 'operator_required'],
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
