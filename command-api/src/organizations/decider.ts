import {
  evolveOrganization,
  organizationStream,
  type Organization,
  type OrganizationChanges,
  type OrganizationEvent,
  type OrganizationFields,
  type Plan,
} from '@roomwire/shared/domain/organization';
import { changedFields, type Decider, targetOf } from '../handling/writeModel.js';
import { Rejection } from '../handling/rejections.js';

export type OrganizationCommand =
  | { readonly type: 'CreateOrganization'; readonly organization: OrganizationFields }
  | {
      readonly type: 'UpdateOrganization';
      readonly organizationId: string;
      /** Limits that are absent stay as they are. */
      readonly changes: Omit<OrganizationChanges, 'plan'> & { readonly plan?: Partial<Plan> };
    };

export type OrganizationState = Organization | undefined;

export const organizationDecider: Decider<OrganizationState, OrganizationCommand, OrganizationEvent> = {
  initial: () => undefined,
  evolve: evolveOrganization,
  decide(command, organization) {
    switch (command.type) {
      case 'CreateOrganization':
        return organization ? [] : [{ type: 'OrganizationCreated', data: command.organization }];
      case 'UpdateOrganization': {
        const { organizationId } = command;
        const before = existing(organization, organizationId);
        const { plan, ...rest } = command.changes;
        const requested = plan === undefined ? rest : { ...rest, plan: { ...before.plan, ...plan } };
        const changes = changedFields<Organization, OrganizationChanges>(before, requested);
        return changes ? [{ type: 'OrganizationUpdated', data: { organizationId, changes } }] : [];
      }
    }
  },
};

export const organizationTarget = targetOf(organizationStream, organizationDecider);

export const existing = (organization: OrganizationState, organizationId: string): Organization => {
  if (organization === undefined) throw new Rejection('organization_not_found', { organizationId });
  return organization;
};
