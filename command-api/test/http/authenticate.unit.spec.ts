import { expect } from 'chai';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { RefusedCredentials } from '@roomwire/shared/credentials/refusedCredentials';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import type { Session } from '@roomwire/shared/credentials/sessionToken';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { createAuthenticator, type Authenticator } from '../../src/http/authenticate.js';

const at = { id: 'r1', now: '2026-01-01T00:00:00.000Z' };
const address = '192.0.2.1';

describe('the authentication of a request', () => {
  let clock: ManualClock;
  let keys: Record<string, unknown>[];
  let session: Session | undefined;
  let reads: number;
  let verified: number;
  let failures: unknown[];
  let authenticator: Authenticator;
  let find: () => Promise<unknown>;
  let project: { readonly projectId: string } | undefined;

  beforeEach(() => {
    clock = new ManualClock();
    [reads, verified, failures, keys, session] = [0, 0, [], [], undefined];
    find = () => Promise.resolve(keys);
    project = { projectId: 'p' };
    const views = {
      find: () => {
        reads++;
        return find();
      },
      get: () => Promise.resolve(project),
    } as unknown as ViewReader;
    authenticator = createAuthenticator({
      ...{ views, clock },
      sessions: {
        verify: () => {
          verified++;
          return Promise.resolve(session);
        },
      },
      consoleCredentials: { readKey: () => undefined },
      lastUses: { used: () => undefined },
      refused: new RefusedCredentials({
        ...{ clock, random: systemRandom, limits: { reached: () => undefined }, brieflyMs: 1_000 },
      }),
      failures: { failed: (failure) => Promise.resolve(void failures.push(failure)) },
    });
  });

  const refusal = (kind: 'project' | 'session', credential: string): Promise<string> =>
    authenticator[kind](`Bearer ${credential}`, at, address).then(
      () => 'none',
      ({ status, body }: { status: number; body: { message: string } }) => `${status} ${body.message}`,
    );

  const badKey = '401 Invalid or expired API key';
  const badSession = '401 Invalid or expired session token';

  it('of a session fails while the read models cannot say whether it was revoked', async () => {
    session = {
      ...{ subject: 'ada', principal: 'session:ada', tokenId: 'j1', issuedAt: 0, expiresAt: 1 },
      ...{ organizationIds: ['o1'], roles: new Map(), isOperator: false },
    };
    find = () => Promise.reject(new EngineUnavailable('read models'));
    const error: unknown = await authenticator
      .session('Bearer a.b.c', at, address)
      .catch((failure: unknown) => failure);
    expect(error).to.be.instanceOf(EngineUnavailable);
    expect(failures).to.deep.equal([]);
  });

  it('costs no read when the wrong secret of a key is tried again', async () => {
    const { keyId, secretHash, token } = mintToken(systemRandom, 'ak_live');
    keys = [
      { keyId, secretHash, expiresAt: null, allowedAddresses: null, projectId: 'p', permissions: null },
    ];
    const wrong = `${keyId}.wrong`;
    for (let n = 0; n < 3; n++) {
      expect(await refusal('project', wrong)).to.equal(badKey);
      clock.pass(60_000);
    }
    expect(reads).to.equal(1);
    expect(failures).to.deep.equal(Array(3).fill({ address, keyId }));
    expect(await refusal('project', token)).to.equal('none');
    expect(failures).to.have.length(3);
  });

  it('of a key that is not known yet costs one read a second', async () => {
    const { keyId, secretHash, token } = mintToken(systemRandom, 'ak_live');
    for (let n = 0; n < 3; n++) expect(await refusal('project', token)).to.equal(badKey);
    expect(reads).to.equal(1);
    keys = [
      { keyId, secretHash, expiresAt: null, allowedAddresses: null, projectId: 'p', permissions: null },
    ];
    clock.pass(1_000);
    expect(await refusal('project', token)).to.equal('none');
  });

  it('of a key ends in the very millisecond in which it expires', async () => {
    const { keyId, secretHash, token } = mintToken(systemRandom, 'ak_live');
    const expiresAt = new Date(clock.now() + 1_000).toISOString();
    keys = [{ keyId, secretHash, expiresAt, allowedAddresses: null, projectId: 'p', permissions: null }];
    clock.pass(999);
    expect(await refusal('project', token)).to.equal('none');
    clock.pass(1);
    expect(await refusal('project', token)).to.equal(badKey);
  });

  it('of a key ends with its project, although the key is removed later', async () => {
    const { keyId, secretHash, token } = mintToken(systemRandom, 'ak_live');
    const key = { keyId, secretHash, expiresAt: null, allowedAddresses: null, permissions: null };
    keys = [{ ...key, projectId: 'p' }];
    expect(await refusal('project', token)).to.equal('none');
    project = undefined;
    expect(await refusal('project', token)).to.equal(badKey);
    keys = [{ ...key, projectId: null }];
    clock.pass(1_000);
    expect(await refusal('project', token)).to.match(/^403 API key must be project-scoped/);
  });

  it('counts the refusals of a good key where it may not be used, by address alone', async () => {
    const { keyId, secretHash, token } = mintToken(systemRandom, 'ak_live');
    const key = { keyId, secretHash, expiresAt: null, permissions: null };
    keys = [{ ...key, allowedAddresses: ['198.51.100.0/24'], projectId: 'p' }];
    expect(await refusal('project', token)).to.equal('403 Address not allowed for this API key');
    keys = [{ ...key, allowedAddresses: null, projectId: null }];
    expect(await refusal('project', token)).to.match(/^403 API key must be project-scoped/);
    expect(failures).to.deep.equal(Array(2).fill({ address, keyId: undefined }));
  });

  it('of a session that is bad verifies it once a second', async () => {
    for (let n = 0; n < 3; n++) expect(await refusal('session', 'a.b.c')).to.equal(badSession);
    expect(verified).to.equal(1);
    expect(failures).to.deep.equal(Array(3).fill({ address, keyId: undefined }));
    clock.pass(1_000);
    await refusal('session', 'a.b.c');
    expect(verified).to.equal(2);
  });
});
