import type { HappenedEvent } from './eventEnvelope.js';

/** Null is no limit. */
export interface Plan {
  /** Apps in each project. */
  readonly maxApps: number | null;
  /** Live connections of the organization. */
  readonly maxConnections: number | null;
  /** Accepted publishes of a project in a calendar month, UTC. */
  readonly monthlyMessages: number | null;
}

export const unlimitedPlan: Plan = { maxApps: null, maxConnections: null, monthlyMessages: null };

export const organizationStatuses = ['active', 'suspended'] as const;
export type OrganizationStatus = (typeof organizationStatuses)[number];

export interface OrganizationFields {
  readonly organizationId: string;
  readonly name: string;
  readonly plan: Plan;
}

export interface Organization extends OrganizationFields {
  readonly status: OrganizationStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type OrganizationChanges = Partial<Pick<Organization, 'name' | 'status' | 'plan'>>;

export type OrganizationEvent =
  | { readonly type: 'OrganizationCreated'; readonly data: OrganizationFields }
  | {
      readonly type: 'OrganizationUpdated';
      readonly data: { readonly organizationId: string; readonly changes: OrganizationChanges };
    };

export const organizationStream = (organizationId: string): string => `organization-${organizationId}`;

export const createdOrganization = (fields: OrganizationFields, at: string): Organization => ({
  ...fields,
  status: 'active',
  createdAt: at,
  updatedAt: at,
});

export const evolveOrganization = (
  organization: Organization | undefined,
  event: HappenedEvent<OrganizationEvent>,
): Organization | undefined => {
  switch (event.type) {
    case 'OrganizationCreated':
      return createdOrganization(event.data, event.occurredAt);
    case 'OrganizationUpdated':
      return organization && { ...organization, ...event.data.changes, updatedAt: event.occurredAt };
  }
};
