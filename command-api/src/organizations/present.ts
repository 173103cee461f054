import type { Organization } from '@roomwire/shared/domain/organizations/organization';

export const presentOrganization = (organization: Organization) => ({
  organizationId: organization.organizationId,
  name: organization.name,
  status: organization.status,
  plan: organization.plan,
  createdAt: organization.createdAt,
  updatedAt: organization.updatedAt,
});
