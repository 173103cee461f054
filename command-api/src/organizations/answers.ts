import { organizationStatuses, unlimitedPlan } from '@roomwire/shared/domain/organizations/organization';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { countSchema, orNull, record, textSchema, timeSchema, uuidSchema } from '../http/schemas.js';
import type { presentOrganization } from './present.js';

const limitSchema = { ...orNull(countSchema), description: 'Null for no limit' };

export const organizationSchema = record('Organization', {
  organizationId: uuidSchema,
  name: textSchema,
  status: { type: 'string', enum: [...organizationStatuses] },
  plan: record('Plan', { maxApps: limitSchema, maxConnections: limitSchema, monthlyMessages: limitSchema }),
  createdAt: timeSchema,
  updatedAt: timeSchema,
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
