import { openEmbeddedEventLog } from '../../../src/adapters/event-log/embeddedEventLog.js';
import { openDataFolder } from '../../../src/adapters/lmdb/dataFolder.js';
import { eventLogContract } from '@roomwire/testing/contracts/event-log/eventLogContract';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

eventLogContract('embedded', async () => {
  const temporary = await temporaryFolder();
  const folder = await openDataFolder(temporary.path);
  let log = await openEmbeddedEventLog(folder);
  return {
    log,
    reopen: async () => {
      await log.close();
      log = await openEmbeddedEventLog(folder);
      return log;
    },
    dispose: async () => {
      await log.close();
      await folder.close();
      await temporary.remove();
    },
  };
});
