import type { SessionRevocationFields } from '@roomwire/shared/domain/sessionRevocation';
import { sessionRevocationDecider } from '../../src/session-revocations/decider.js';
import { sentences } from '../support/deciders.js';

const given = sentences(sessionRevocationDecider);

const revocation: SessionRevocationFields = {
  ...{ revocationId: 'r1', organizationId: 'o1', jti: null, subject: 'ada', byOperator: false },
};

describe('the revocation of sessions', () => {
  it('is made once', () => {
    given().when({ type: 'RevokeSessions', revocation }).then({ type: 'SessionRevoked', data: revocation });
    given({ type: 'SessionRevoked', data: revocation })
      .when({ type: 'RevokeSessions', revocation })
      .thenNothing();
  });
});
