import { join } from 'node:path';
import { openEmbeddedAuditIndex } from '../../../src/adapters/audit-index/embeddedAuditIndex.js';
import { auditIndexContract } from '@roomwire/testing/contracts/auditIndexContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

auditIndexContract('files', async () => {
  const folder = await temporaryFolder();
  const open = () => openEmbeddedAuditIndex({ file: (name) => join(folder.path, name) });
  return reopenable(open, () => folder.remove());
});
