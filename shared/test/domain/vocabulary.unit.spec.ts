import { expect } from 'chai';
import { actorStatuses, actorTypes } from '../../src/domain/actor.js';
import { accessModes, appStatuses, retentions } from '../../src/domain/app.js';
import { deadLetterStatuses } from '../../src/domain/deadLetter.js';
import { organizationStatuses, unlimitedPlan } from '../../src/domain/organization.js';
import { permissionResources } from '../../src/domain/permission.js';
import { includesRole, roles } from '../../src/domain/role.js';
import { permissions, roomStatuses, webRtcTopics } from '../../src/domain/room.js';
import { scopeSlugPattern } from '../../src/domain/scope.js';
import { signingKeyEnvironments, signingKeyStatuses } from '../../src/domain/signingKey.js';
import { slugBaseMaxLength, slugMaxLength } from '../../src/domain/topic.js';
import { mostWebhookSecrets } from '../../src/domain/webhookSecret.js';

describe('the words of the API', () => {
  it('are those of the contract', () => {
    expect(actorTypes).to.eql([
      ...['device', 'user', 'service', 'session', 'agent', 'orchestrator', 'observer'],
    ]);
    expect(permissionResources).to.eql([
      ...['apps', 'rooms', 'grants', 'actors', 'scopes', 'signing-keys'],
      ...['publish', 'history', 'presence', 'revocations', 'groups', 'schedules'],
    ]);
    expect(retentions).to.eql(['tier', '1d', '7d', '30d', '90d']);
    expect(accessModes).to.eql(['open', 'private']);
    expect(permissions).to.eql(['subscribe', 'publish', 'pubSub']);
    expect(webRtcTopics).to.eql(['webrtc:offer', 'webrtc:answer', 'webrtc:candidate', 'webrtc:state']);
    expect(signingKeyEnvironments).to.eql(['live', 'sandbox']);
  });

  it('name what is active, and why something is not', () => {
    for (const statuses of [actorStatuses, roomStatuses, signingKeyStatuses])
      expect(statuses).to.eql(['active', 'disabled']);
    expect(appStatuses).to.eql(['active', 'disabled', 'suspended']);
    expect(organizationStatuses).to.eql(['active', 'suspended']);
    expect(deadLetterStatuses).to.eql(['pending', 'failed', 'dead']);
  });

  it('leave a slug room for the suffix that makes it unique', () => {
    expect([slugMaxLength, slugBaseMaxLength]).to.eql([100, 95]);
    expect(mostWebhookSecrets).to.equal(2);
    expect(unlimitedPlan).to.eql({ maxApps: null, maxConnections: null, monthlyMessages: null });
  });
});

describe('the slug of a scope', () => {
  it('has two characters at least, letters and digits at both ends', () => {
    for (const slug of ['ab', 'a1', '7-x', 'a--b']) expect(scopeSlugPattern.test(slug), slug).to.equal(true);
    for (const text of ['', 'a', '-a', 'a-', 'aB', 'a_b', 'ab\n', ' ab', 'Aab', 'a b'])
      expect(scopeSlugPattern.test(text), text).to.equal(false);
  });
});

describe('a role in an organization', () => {
  it('includes itself and those before it', () => {
    const included = roles.map((held) => roles.filter((needed) => includesRole(held, needed)));
    expect(included).to.eql([['viewer'], ['viewer', 'editor'], ['viewer', 'editor', 'admin']]);
  });
});
