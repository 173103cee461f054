import type { TokenRevocationFields } from '@roomwire/shared/domain/tokenRevocation';
import { tokenRevocationDecider } from '../../src/revocations/decider.js';
import { sentences, testTime } from '../support/deciders.js';

const given = sentences(tokenRevocationDecider);

const revocation: TokenRevocationFields = {
  ...{ revocationId: 'r1', projectId: 'p1', subject: 'ext:ada', actorTokenId: 'a1', before: testTime },
};
const revoked = { type: 'TokensRevoked', data: revocation } as const;
const expired = { type: 'TokenRevocationExpired', data: { revocationId: 'r1' } } as const;
const expire = (until: string) => ({ type: 'ExpireRevocation', until }) as const;
const aDayLater = '2026-01-02T00:00:00.000Z';

describe('the revocation of the tokens of an external actor', () => {
  it('[HTTP-REVOKE-1] is made once', () => {
    given().when({ type: 'RevokeTokens', revocation }).then(revoked);
    given(revoked).when({ type: 'RevokeTokens', revocation }).thenNothing();
  });

  it('[HTTP-REVOKE-4] expires once, for a time until which it is kept', () => {
    given(revoked).when(expire('2026-01-01T23:59:59.999Z')).thenNothing();
    given(revoked).when(expire(aDayLater)).then(expired);
    given(revoked, expired).when(expire(aDayLater)).thenNothing();
    given().when(expire(aDayLater)).thenNothing();
    const ofAnActor = { ...revoked, data: { ...revocation, subject: 'a1' } };
    given(ofAnActor).when(expire('2099-01-01T00:00:00.000Z')).thenNothing();
  });
});
