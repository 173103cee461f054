import { join } from 'node:path';
import { expect } from 'chai';
import type { AuditEntry } from '../../../src/ports/auditIndex.js';
import { openEmbeddedAuditIndex } from '../../../src/adapters/audit-index/embeddedAuditIndex.js';
import { auditIndexContract } from '@roomwire/testing/contracts/auditIndexContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { slowValue } from '@roomwire/testing/run/busyFor';
import { longestTurn } from '@roomwire/testing/run/longestTurn';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

auditIndexContract('files', async () => {
  const folder = await temporaryFolder();
  const open = () => openEmbeddedAuditIndex({ file: (name) => join(folder.path, name) });
  return reopenable(open, () => folder.remove());
});

describe('the audit index in files', () => {
  it('writes out large events one in each turn of the event loop', async () => {
    const folder = await temporaryFolder();
    const index = await openEmbeddedAuditIndex({ file: (name) => join(folder.path, name) });
    const entries = Array.from({ length: 30 }, (_, n): AuditEntry => {
      const position = String(n).padStart(16, '0');
      const metadata = {
        ...{ occurredAt: '2026-01-01T00:00:00.000Z', organizationId: 'o1', projectId: 'p1' },
        ...{ principal: 'system', requestId: 'r1' },
      };
      const event = { id: `e${n}`, type: 'T', schemaVersion: 1, data: slowValue(10), metadata };
      return { event: { ...event, stream: 's', revision: n, position }, changed: [], keys: [] };
    });
    const { longestMs } = await longestTurn(() => index.record(entries, '0000000000000029'));
    expect(longestMs).to.be.below(150);
    expect(await index.find({ organizationId: 'o1', order: 'newest first', limit: 50 })).to.have.length(30);
    await index.close();
    await folder.remove();
  });
});
