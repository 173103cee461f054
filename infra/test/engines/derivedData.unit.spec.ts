import { expect } from 'chai';
import type { DeletedFrom } from '@roomwire/projections/deletionFollower';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import type { Adapters } from '../../src/engines/adapters.js';
import { derivedData } from '../../src/engines/derivedData.js';
import { configIn, opened } from '../support/backups.js';

/** Every store that has a checkpoint in the event log, by the name of its port. */
const storesWithCheckpoint = async (adapters: Adapters): Promise<ReadonlyMap<string, DeletedFrom>> => {
  const stores = new Map<string, DeletedFrom>();
  for (const [name, open] of Object.entries(adapters) as [string, () => unknown][]) {
    const adapter = await open();
    if (typeof adapter === 'object' && adapter !== null && 'moveCheckpoint' in adapter)
      stores.set(name, adapter as DeletedFrom);
  }
  return stores;
};

describe('what is derived from the event log', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  it('is every store that follows it', async () => {
    await opened(configIn(folder, 'used', { ROOMWIRE_MESSAGE_RECORDING: 'true' }), async (adapters) => {
      const stores = await storesWithCheckpoint(adapters);
      expect([...stores.keys()]).to.include.members(['schedules', 'roomEvents', 'connectionRecord', 'jobs']);
      const position = '0000000000000001';
      for (const store of stores.values())
        await store.moveCheckpoint(position, { log: 'other', position, event: 'e' });
      for (const made of await derivedData(adapters)) await made.clear();
      for (const [name, store] of stores) {
        expect(await store.checkpoint(), name).to.equal(undefined);
        expect(await store.origin(), name).to.equal(undefined);
      }
    });
  });
});
