import {
  createdOrganization,
  type OrganizationEvent,
} from '@roomwire/shared/domain/organizations/organization';
import type { Projector } from './projector.js';

export const organizations: Projector<OrganizationEvent> = {
  OrganizationCreated: (data, { occurredAt, position }) => [
    {
      put: 'organizations',
      id: data.organizationId,
      doc: { ...createdOrganization(data, occurredAt), createdPosition: position },
    },
  ],
  OrganizationUpdated: ({ organizationId, changes }, { occurredAt }) => [
    { patch: 'organizations', id: organizationId, set: { ...changes, updatedAt: occurredAt } },
  ],
};
