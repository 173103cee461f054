import { expect } from 'chai';
import { app, organization } from '@roomwire/testing/builders/records';
import { presentApp, shownStatus, statusFilter } from '../../src/apps/resource.js';

const active = organization('o1');
const suspended = { ...active, status: 'suspended' as const };

describe('an app of a suspended organization', () => {
  it('is shown as suspended and otherwise unchanged', () => {
    for (const status of ['active', 'disabled'] as const) {
      const record = app('p1', 'chat', { status });
      expect(shownStatus(record, suspended)).to.equal('suspended');
      expect(shownStatus(record, active)).to.equal(status);
      expect(shownStatus(record, undefined)).to.equal(status);
      expect({ ...presentApp(record, suspended), status }).to.eql(presentApp(record, active));
    }
  });

  it('matches the filter for suspended apps only', () => {
    expect(statusFilter('suspended', suspended)).to.eql({});
    for (const status of ['active', 'disabled'] as const) {
      expect(statusFilter(status, suspended)).to.eql({ status: { $in: [] } });
      expect(statusFilter(status, active)).to.eql({ status });
    }
    expect(statusFilter('suspended', active)).to.eql({ status: 'suspended' });
    for (const owner of [active, suspended]) expect(statusFilter(undefined, owner)).to.eql({});
  });
});
