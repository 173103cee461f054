import { monthAt } from '@roomwire/shared/domain/month';
import { organizationStatuses, unlimitedPlan, type Organization } from '@roomwire/shared/domain/organization';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { CommandHandler } from '../handling/commandHandler.js';
import { Rejection } from '../handling/rejections.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema } from '../http/listing.js';
import { pathValue, type SessionCaller, type SessionRequest } from '../http/route.js';
import { existing, organizationTarget } from './decider.js';
import * as s from '../http/schema.js';

const limitSchema = s.orNull(s.count);

const planChangesSchema = s.strictObject({
  maxApps: limitSchema,
  maxConnections: limitSchema,
  monthlyMessages: limitSchema,
});

export const createOrganizationSchema = s.titled(
  'NewOrganization',
  s.strictObject({ name: s.name, plan: planChangesSchema }, ['name']),
);

export const updateOrganizationSchema = s.titled(
  'OrganizationChanges',
  s.strictObject({ name: s.name, status: s.oneOf(organizationStatuses), plan: planChangesSchema }),
);

export const organizationsQuerySchema = pageQuerySchema(['name', 'status', 'createdAt', 'updatedAt']);

const shownLimitSchema = s.described(limitSchema, 'Null for no limit');

const planSchema = s.titledObject('Plan', {
  maxApps: shownLimitSchema,
  maxConnections: shownLimitSchema,
  monthlyMessages: shownLimitSchema,
});

export const organizationSchema = s.titledObject('Organization', {
  organizationId: s.uuid,
  name: s.text(),
  status: s.oneOf(organizationStatuses),
  plan: planSchema,
  createdAt: s.time,
  updatedAt: s.time,
});

type OrganizationAnswer = s.ValueOf<typeof organizationSchema>;

export const presentOrganization = (organization: Organization): OrganizationAnswer => ({
  organizationId: organization.organizationId,
  name: organization.name,
  status: organization.status,
  plan: organization.plan,
  createdAt: organization.createdAt,
  updatedAt: organization.updatedAt,
});

export const exampleNewOrganization = { name: 'Example Ltd', plan: { maxApps: 20 } };

export const exampleOrganization: OrganizationAnswer = {
  organizationId: exampleIds.organizationId,
  name: exampleNewOrganization.name,
  status: 'active',
  plan: { ...unlimitedPlan, ...exampleNewOrganization.plan },
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

export const usageSchema = s.titledObject('Usage', {
  month: s.text({ pattern: '^\\d{4}-\\d{2}$', description: 'Calendar month, UTC' }),
  messages: s.listOf(
    s.titledObject('ProjectMessages', {
      projectId: s.uuid,
      messages: s.described(s.count, 'Accepted publishes of the month, to within 5 seconds'),
    }),
  ),
  connections: s.described(s.count, 'Authenticated connections, to within 5 seconds'),
  apps: s.listOf(s.titledObject('ProjectApps', { projectId: s.uuid, apps: s.count })),
  plan: planSchema,
});

type UsageAnswer = s.ValueOf<typeof usageSchema>;

export const exampleUsage: UsageAnswer = {
  month: exampleTime.slice(0, 'YYYY-MM'.length),
  messages: [{ projectId: exampleIds.projectId, messages: 12_345 }],
  connections: 17,
  apps: [{ projectId: exampleIds.projectId, apps: 3 }],
  plan: exampleOrganization.plan,
};

export const requireOperator = (caller: SessionCaller): void => {
  if (!caller.isOperator) throw new Rejection('operator_required', {});
};

/**
 * The organization that the path names. It does not exist for a session without access to it.
 * Read from its stream, so that nothing is created in an organization that does not exist.
 */
export const organizationOf = async (
  commands: CommandHandler,
  request: SessionRequest,
): Promise<Organization> => {
  const organizationId = pathValue(request, 'orgId');
  const { caller } = request;
  if (!caller.isOperator && !caller.organizationIds.includes(organizationId))
    throw new Rejection('organization_not_found', { organizationId });
  return commands.inspect(organizationTarget(organizationId), (state) => existing(state, organizationId));
};

/** A gateway without a report for so long has ended, and its connections with it. */
const gatewaySilenceMs = 15_000;

/** What an organization has used of its plan. `now`: ISO 8601. True to within 5 seconds. */
export const usageOf = async (
  { views, usage }: { readonly views: ViewReader; readonly usage: UsageReader },
  { organizationId, plan }: Organization,
  now: string,
): Promise<UsageAnswer> => {
  const time = Date.parse(now);
  const month = monthAt(time).name;
  const projects = await views.find('projects', { filter: { organizationId }, sort: [['projectId', 1]] });
  const projectIds = projects.map(({ projectId }) => projectId);
  const [messages, connections, apps] = await Promise.all([
    usage.usage(projectIds, month),
    usage.connections(organizationId, new Date(time - gatewaySilenceMs).toISOString()),
    Promise.all(projectIds.map((projectId) => views.count('apps', { projectId }))),
  ]);
  return {
    month,
    messages: projectIds.map((projectId) => ({ projectId, messages: messages.get(projectId) ?? 0 })),
    connections,
    apps: projectIds.map((projectId, index) => ({ projectId, apps: apps[index] ?? 0 })),
    plan,
  };
};
