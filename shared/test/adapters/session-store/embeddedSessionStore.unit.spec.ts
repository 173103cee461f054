import { join } from 'node:path';
import { expect } from 'chai';
import type { SessionLimits } from '../../../src/adapters/session-store/sessionLimits.js';
import { openEmbeddedSessionStore } from '../../../src/adapters/session-store/embeddedSessionStore.js';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { sessionStoreContract } from '@roomwire/testing/contracts/sessionStoreContract';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const openOnFiles = async (now: () => number = Date.now, limits?: SessionLimits) => {
  const folder = await temporaryFolder();
  const open = () => openEmbeddedSessionStore({ file: (name) => join(folder.path, name) }, now(), limits);
  return reopenable(open, () => folder.remove());
};

sessionStoreContract('files', (limits) => openOnFiles(undefined, limits));

describe('sessions on files', () => {
  it('removes what has expired when it is opened', async () => {
    let now = 1_000;
    const { store, reopen, dispose } = await openOnFiles(() => now);
    const session = (instance: string, expiresAt: number) => ({
      session: {
        actorTokenId: 'a',
        projectId: 'p',
        instance,
        keeper: 'k',
        accessScopeId: null,
        subscriptions: [],
        expiresAt,
      },
      takesOver: true,
    });
    await store.write([session('soon', 2_000), session('later', 2_001)]);
    now = 2_000;
    const reopened = await reopen();
    expect(await reopened.load('a', 'soon')).to.equal(undefined);
    expect(await reopened.load('a', 'later')).to.include({ expiresAt: 2_001 });
    await dispose();
  });
});
