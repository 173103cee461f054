import {
  organizationStatuses,
  type OrganizationStatus,
  type Plan,
  unlimitedPlan,
  type Organization,
} from '@roomwire/shared/domain/organizations/organization';
import { pageQuerySchema } from '../http/listing.js';
import {
  nameSchema,
  strictObject,
  titled,
  countSchema,
  listOf,
  orNull,
  record,
  textSchema,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { CommandHandler } from '../handling/commandHandler.js';
import { Rejection } from '../handling/rejections.js';
import { pathValue, type SessionCaller } from '../http/route.js';
import { existing, organizationTarget } from './decider.js';
import { monthAt } from '@roomwire/shared/domain/month';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';

const limitSchema = { type: ['integer', 'null'], minimum: 0 };

const planSchema = strictObject({
  maxApps: limitSchema,
  maxConnections: limitSchema,
  monthlyMessages: limitSchema,
});

export interface CreateOrganizationBody {
  readonly name: string;
  readonly plan?: Partial<Plan>;
}

export const createOrganizationSchema = titled(
  'NewOrganization',
  strictObject({ name: nameSchema, plan: planSchema }, ['name']),
);

export interface UpdateOrganizationBody {
  readonly name?: string;
  readonly status?: OrganizationStatus;
  readonly plan?: Partial<Plan>;
}

export const updateOrganizationSchema = titled(
  'OrganizationChanges',
  strictObject({
    name: nameSchema,
    status: { type: 'string', enum: [...organizationStatuses] },
    plan: planSchema,
  }),
);

export const organizationsQuerySchema = pageQuerySchema(['name', 'status', 'createdAt', 'updatedAt']);

const limitAnswer = { ...orNull(countSchema), description: 'Null for no limit' };

const planAnswer = record('Plan', {
  maxApps: limitAnswer,
  maxConnections: limitAnswer,
  monthlyMessages: limitAnswer,
});

export const organizationSchema = record('Organization', {
  organizationId: uuidSchema,
  name: textSchema,
  status: { type: 'string', enum: [...organizationStatuses] },
  plan: planAnswer,
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const usageSchema = record('Usage', {
  month: { type: 'string', pattern: '^\\d{4}-\\d{2}$', description: 'Calendar month, UTC' },
  messages: listOf(
    record('ProjectMessages', {
      projectId: uuidSchema,
      messages: { ...countSchema, description: 'Accepted publishes of the month, to within 5 seconds' },
    }),
  ),
  connections: { ...countSchema, description: 'Authenticated connections, to within 5 seconds' },
  apps: listOf(record('ProjectApps', { projectId: uuidSchema, apps: countSchema })),
  plan: planAnswer,
});

export const exampleNewOrganization = { name: 'Example Ltd', plan: { maxApps: 20 } };

export const exampleOrganization: ReturnType<typeof presentOrganization> = {
  organizationId: exampleIds.organizationId,
  name: exampleNewOrganization.name,
  status: 'active',
  plan: { ...unlimitedPlan, ...exampleNewOrganization.plan },
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

export const exampleUsage: Awaited<ReturnType<typeof usageOf>> = {
  month: exampleTime.slice(0, 'YYYY-MM'.length),
  messages: [{ projectId: exampleIds.projectId, messages: 12_345 }],
  connections: 17,
  apps: [{ projectId: exampleIds.projectId, apps: 3 }],
  plan: exampleOrganization.plan,
};

export const presentOrganization = (organization: Organization) => ({
  organizationId: organization.organizationId,
  name: organization.name,
  status: organization.status,
  plan: organization.plan,
  createdAt: organization.createdAt,
  updatedAt: organization.updatedAt,
});

export const requireOperator = (caller: SessionCaller): void => {
  if (!caller.isOperator) throw new Rejection('operator_required', {});
};

/**
 * The organization that the path names. To a session without it, it does not exist.
 * Read from its stream, so that what hangs on it is never made for one that is not there.
 */
export const organizationOf = async (
  commands: CommandHandler,
  request: { readonly caller: SessionCaller; readonly path: Readonly<Record<string, string>> },
): Promise<Organization> => {
  const organizationId = pathValue(request, 'orgId');
  const { caller } = request;
  if (!caller.isOperator && !caller.organizationIds.includes(organizationId))
    throw new Rejection('organization_not_found', { organizationId });
  return commands.inspect(organizationTarget(organizationId), (state) => existing(state, organizationId));
};

/** A gateway that has been silent for so long is gone, and its connections with it. */
const gatewaySilenceMs = 15_000;

/** What an organization has used of its plan. `now`: ISO 8601. True to within 5 seconds. */
export const usageOf = async (views: ViewStore, { organizationId, plan }: Organization, now: string) => {
  const time = Date.parse(now);
  const month = monthAt(time).name;
  const projects = await views.find('projects', { filter: { organizationId }, sort: [['projectId', 1]] });
  const projectIds = projects.map(({ projectId }) => projectId);
  const [messages, connections, apps] = await Promise.all([
    views.usage(projectIds, month),
    views.connections(organizationId, new Date(time - gatewaySilenceMs).toISOString()),
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
