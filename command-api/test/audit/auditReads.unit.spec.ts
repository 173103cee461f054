import { expect } from 'chai';
import type { AuditEntry, AuditIndex } from '@roomwire/shared/ports/auditIndex';
import { slowValue } from '@roomwire/testing/run/busyFor';
import { longestTurn } from '@roomwire/testing/run/longestTurn';
import { findEntries } from '../../src/audit/auditReads.js';

const entry = (n: number): AuditEntry => ({
  event: {
    id: `e${n}`,
    type: 'AppUpdated',
    schemaVersion: 1,
    data: slowValue(10),
    metadata: {
      occurredAt: '2026-01-01T00:00:00.000Z',
      organizationId: 'o1',
      projectId: 'p1',
      principal: 'system',
      requestId: 'r1',
    },
    stream: 's',
    revision: n,
    position: String(n),
  },
  changed: [],
  keys: [],
});

describe('a page of the history', () => {
  it('lets the event loop run between large events', async () => {
    const entries = Array.from({ length: 30 }, (_, n) => entry(n));
    const index = { find: async () => entries } as unknown as AuditIndex;
    const { result, longestMs } = await longestTurn(() =>
      findEntries(index, 'o1', {}, { after: undefined, limit: 30 }),
    );
    expect(result.entries).to.have.length(30);
    expect(longestMs).to.be.below(150);
  });
});
