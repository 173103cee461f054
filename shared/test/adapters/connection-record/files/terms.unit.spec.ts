import { expect } from 'chai';
import { TermTable, termOf } from '../../../../src/adapters/connection-record/files/terms.js';

describe('the terms of a segment', () => {
  const blocks = [['c1', 'c2'], ['c2', 'c3', 'c3'], ['c4']].map((ids) =>
    ids.map((id) => termOf('connection', id)),
  );
  const table = new TermTable(TermTable.bytesOf(blocks));

  it('say in which blocks something is, each once and in order', () => {
    expect(table.blocksOf(termOf('connection', 'c1'))).to.deep.equal([0]);
    expect(table.blocksOf(termOf('connection', 'c2'))).to.deep.equal([0, 1]);
    expect(table.blocksOf(termOf('connection', 'c3'))).to.deep.equal([1]);
    expect(table.blocksOf(termOf('connection', 'c4'))).to.deep.equal([2]);
  });

  it('say of what is in none that it is not there', () => {
    expect(table.blocksOf(termOf('connection', 'c5'))).to.deep.equal([]);
    expect(table.blocksOf(termOf('actor', 'c1'))).to.deep.equal([]);
    expect(new TermTable(TermTable.bytesOf([])).blocksOf(termOf('connection', 'c1'))).to.deep.equal([]);
  });
});
