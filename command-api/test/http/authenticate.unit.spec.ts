import { expect } from 'chai';
import type { Session } from '@roomwire/shared/credentials/sessionToken';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { createAuthenticator } from '../../src/http/authenticate.js';

describe('the authentication of a session', () => {
  it('fails while the read models cannot say whether it was revoked', async () => {
    const session: Session = {
      ...{ subject: 'ada', principal: 'session:ada', tokenId: 'j1', issuedAt: 0 },
      ...{ organizationIds: ['o1'], roles: new Map(), isOperator: false },
    };
    const views = { find: () => Promise.reject(new EngineUnavailable('read models')) };
    const authenticator = createAuthenticator({
      views: views as unknown as ViewReader,
      sessions: { verify: () => Promise.resolve(session) },
      clock: { now: () => 0, monotonic: () => 0 },
      lastUses: { used: () => undefined },
    });
    const at = { id: 'r1', now: '2026-01-01T00:00:00.000Z' };
    const error: unknown = await authenticator
      .session('Bearer a.b.c', at)
      .catch((failure: unknown) => failure);
    expect(error).to.be.instanceOf(EngineUnavailable);
  });
});
