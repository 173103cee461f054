import { join } from 'node:path';
import { openEmbeddedAuditIndex } from '../../../src/adapters/audit-index/embeddedAuditIndex.js';
import { auditIndexContract } from '../../../src/testing/auditIndexContract.js';
import { reopenable } from '../../../src/testing/reopenable.js';
import { temporaryFolder } from '../../../src/testing/temporaryFolder.js';

auditIndexContract('files', async () => {
  const folder = await temporaryFolder();
  const open = () => openEmbeddedAuditIndex({ file: (name) => join(folder.path, name) });
  return reopenable(open, () => folder.remove());
});
