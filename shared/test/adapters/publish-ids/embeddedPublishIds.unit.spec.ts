import { join } from 'node:path';
import { expect } from 'chai';
import { open } from 'lmdb';
import { publishIdsContract } from '@roomwire/testing/contracts/publishIdsContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedPublishIds } from '../../../src/adapters/publish-ids/embeddedPublishIds.js';

publishIdsContract('files', async (setting) => {
  const folder = await temporaryFolder();
  const file = (name: string): string => join(folder.path, name);
  const openStore = () => openEmbeddedPublishIds({ file }, setting);
  return {
    ...(await reopenable(openStore, () => folder.remove())),
    beside: openStore,
    count: () => kept(file('publish-ids.lmdb')),
  };
});

describe('publish ids on files that one process has for itself', () => {
  let folder: TemporaryFolder;
  const openStore = (owner: string) =>
    openEmbeddedPublishIds({ file: (name) => join(folder.path, name) }, { owner });
  const publish = (messageId: string) => ({ key: 'k', digest: 'd', messageId, at: Date.now() });

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  it('take over at once what an earlier process has left', async () => {
    const [left, later] = [publish('m1'), publish('m2')];
    const killed = await openStore('killed');
    await killed.claim([left]);
    await killed.close();
    const store = await openStore('living');
    const outcomes = await store.claim([later, publish('m3')]);
    expect(outcomes).to.eql([
      { kind: 'claimed', messageId: 'm1', at: left.at, isRepeated: true },
      { kind: 'underway' },
    ]);
    await store.close();
  });
});

/** The more of the two tables, so that neither keeps what the other one has forgotten. */
const kept = async (path: string): Promise<number> => {
  const environment = open({ path, overlappingSync: false, readOnly: true });
  try {
    const [claims, expiries] = ['claims', 'expiries'].map((name) =>
      environment.openDB(name, {}).getKeysCount(),
    );
    return Math.max(claims ?? 0, expiries ?? 0);
  } finally {
    await environment.close();
  }
};
