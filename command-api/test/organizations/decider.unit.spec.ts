import type { OrganizationEvent, Plan } from '@roomwire/shared/domain/organization';
import { organizationDecider, type OrganizationCommand } from '../../src/organizations/decider.js';
import { sentences } from '../support/deciders.js';

const given = sentences(organizationDecider);
const organizationId = 'o1';
const plan: Plan = { maxApps: 3, maxConnections: null, monthlyMessages: null };

const created: OrganizationEvent = {
  type: 'OrganizationCreated',
  data: { organizationId, name: 'Acme', plan },
};
const updated = (changes: { plan?: Plan; name?: string }): OrganizationEvent => ({
  type: 'OrganizationUpdated',
  data: { organizationId, changes },
});
const update = (changes: { plan?: Partial<Plan>; name?: string }): OrganizationCommand => ({
  type: 'UpdateOrganization',
  organizationId,
  changes,
});

describe('an organization', () => {
  it('is created once', () => {
    const organization = { organizationId, name: 'Acme', plan };
    given().when({ type: 'CreateOrganization', organization }).then(created);
    given(created).when({ type: 'CreateOrganization', organization }).thenNothing();
  });

  it('keeps the current limits of its plan that a change does not name', () => {
    given(created, updated({ plan: { ...plan, maxConnections: 5 } }))
      .when(update({ plan: { monthlyMessages: 10 } }))
      .then(updated({ plan: { maxApps: 3, maxConnections: 5, monthlyMessages: 10 } }));
    given(created)
      .when(update({ plan: { maxApps: null } }))
      .then(updated({ plan: { ...plan, maxApps: null } }));
  });

  it('changes only what differs', () => {
    given(created)
      .when(update({ name: 'Acme', plan: { maxApps: 3 } }))
      .thenNothing();
    given(created)
      .when(update({ name: 'New', plan: {} }))
      .then(updated({ name: 'New' }));
  });

  it('is not created by a change', () => {
    given()
      .when(update({ plan: { maxApps: 1 } }))
      .thenRejected('organization_not_found', { organizationId });
  });
});
