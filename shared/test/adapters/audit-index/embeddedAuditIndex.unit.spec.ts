import { join } from 'node:path';
import { openEmbeddedAuditIndex } from '../../../src/adapters/audit-index/embeddedAuditIndex.js';
import { auditIndexContract } from '@roomwire/testing/auditIndexContract';
import { reopenable } from '@roomwire/testing/reopenable';
import { temporaryFolder } from '@roomwire/testing/temporaryFolder';

auditIndexContract('files', async () => {
  const folder = await temporaryFolder();
  const open = () => openEmbeddedAuditIndex({ file: (name) => join(folder.path, name) });
  return reopenable(open, () => folder.remove());
});
