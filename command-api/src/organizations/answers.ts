import { organizationStatuses, unlimitedPlan } from '@roomwire/shared/domain/organizations/organization';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { countSchema, listOf, orNull, record, textSchema, timeSchema, uuidSchema } from '../http/schema.js';
import type { presentOrganization } from './present.js';
import type { usageOf } from './usage.js';

const limitSchema = { ...orNull(countSchema), description: 'Null for no limit' };

const planSchema = record('Plan', {
  maxApps: limitSchema,
  maxConnections: limitSchema,
  monthlyMessages: limitSchema,
});

export const organizationSchema = record('Organization', {
  organizationId: uuidSchema,
  name: textSchema,
  status: { type: 'string', enum: [...organizationStatuses] },
  plan: planSchema,
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
  plan: planSchema,
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
