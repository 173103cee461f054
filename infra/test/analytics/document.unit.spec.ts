import { expect } from 'chai';
import { placeColumns } from '../../src/analytics/facts/factStream.js';
import { messageColumns } from '../../src/analytics/facts/messageFacts.js';
import { outcomeColumns } from '../../src/analytics/facts/outcomeFacts.js';
import { documentTable } from '../support/documentBlocks.js';

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
