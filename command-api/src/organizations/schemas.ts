import {
  organizationStatuses,
  type OrganizationStatus,
  type Plan,
} from '@roomwire/shared/domain/organizations/organization';
import { pageQuerySchema } from '../http/listing.js';
import { nameSchema, strictObject, titled } from '../http/schema.js';

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
