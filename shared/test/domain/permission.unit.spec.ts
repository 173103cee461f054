import { expect } from 'chai';
import { includesPermission, permissions } from '../../src/domain/permission.js';

describe('the permissions of an API key', () => {
  it('are two for each resource', () => {
    expect(permissions).to.have.lengthOf(24);
    expect(new Set(permissions).size).to.equal(24);
  });

  it('include what they say, and reading where they say writing', () => {
    expect(includesPermission(['rooms:read'], 'rooms:read')).to.equal(true);
    expect(includesPermission(['rooms:write'], 'rooms:read')).to.equal(true);
    expect(includesPermission(['rooms:write'], 'rooms:write')).to.equal(true);
    expect(includesPermission(['rooms:read'], 'rooms:write')).to.equal(false);
    expect(includesPermission(['apps:write', 'grants:write'], 'rooms:read')).to.equal(false);
  });

  it('are all of them where none are named', () => {
    for (const permission of permissions) expect(includesPermission(null, permission)).to.equal(true);
    for (const permission of permissions) expect(includesPermission([], permission)).to.equal(false);
  });
});
