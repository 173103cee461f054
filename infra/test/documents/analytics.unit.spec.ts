import { expect } from 'chai';
import { placeColumns } from '@roomwire/analytics/facts/factStream';
import { messageColumns, outcomeColumns } from '@roomwire/analytics/facts/facts';
import { documentTable } from '../support/documents.js';

describe('docs/ANALYTICS.md', () => {
  for (const [stream, columns] of [
    ['messages', messageColumns],
    ['webhook-outcomes', outcomeColumns],
  ] as const)
    it(`has every column of ${stream}, with its type`, () => {
      const table = documentTable('docs/ANALYTICS.md', `<folder>/${stream}/*.parquet`);
      const described = table.map(([name, type]) => ({ name, type }));
      expect(described).to.eql([...placeColumns, ...columns]);
    });
});
