import { join } from 'node:path';
import { historyIndexContract } from '@roomwire/testing/contracts/history-index/historyIndexContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedHistoryIndex } from '../../../src/adapters/history-index/embeddedHistoryIndex.js';

historyIndexContract('files', async (clock) => {
  const folder = await temporaryFolder();
  const openIndex = () => openEmbeddedHistoryIndex({ file: (name) => join(folder.path, name) }, clock);
  return { ...(await reopenable(openIndex, () => folder.remove())), beside: openIndex };
});
