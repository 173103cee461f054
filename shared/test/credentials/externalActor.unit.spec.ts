import { expect } from 'chai';
import { externalActorId, readExternalClaims } from '../../src/credentials/externalActor.js';
import { actorTypes } from '../../src/domain/actor.js';

const scopeId = '7c2867d1-c938-4405-90e2-8d9eafb0c1d7';

describe('[WS-EXT-1] the id of an external actor', () => {
  it('is the UUID of version 5 of RFC 9562', () => {
    const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    expect(externalActorId(dns, 'www.example.com')).to.equal('2ed6657d-e927-568b-95e1-2665a8aea6a2');
    // As Python's `uuid.uuid5` makes them.
    expect(externalActorId(dns, 'ext:ada')).to.equal('f6ebd50e-cd52-5b48-b76d-05af9b5de2b8');
    expect(externalActorId(scopeId, 'ext:😀 é')).to.equal('34031101-599f-5b96-a0fb-8afbcf950a01');
  });
});

describe('[WS-EXT-2] the claims of an external actor', () => {
  it('are a type and a scope, by default a user outside of each', () => {
    expect(readExternalClaims(undefined)).to.eql({ actorType: 'user', accessScopeId: null });
    expect(readExternalClaims({})).to.eql({ actorType: 'user', accessScopeId: null });
    for (const actorType of actorTypes)
      expect(readExternalClaims({ actorType, accessScopeId: scopeId.toUpperCase() })).to.eql({
        ...{ actorType, accessScopeId: scopeId },
      });
    expect(readExternalClaims({ accessScopeId: null, capabilities: 7 })).to.eql({
      ...{ actorType: 'user', accessScopeId: null },
    });
  });

  it('are none where they are malformed', () => {
    for (const claim of [null, 7, '', 'user', true, [], ['user']])
      expect(readExternalClaims(claim), JSON.stringify(claim)).to.equal(undefined);
    for (const actorType of [null, '', 'User', 'robot', 7, ['user'], {}])
      expect(readExternalClaims({ actorType }), JSON.stringify(actorType)).to.equal(undefined);
    for (const accessScopeId of ['', 'acme', 7, {}, `${scopeId}0`, `{${scopeId}}`, ` ${scopeId}`])
      expect(readExternalClaims({ accessScopeId }), JSON.stringify(accessScopeId)).to.equal(undefined);
  });
});
