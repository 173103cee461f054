import { expect } from 'chai';
import { TermTable, termOf } from '../../../../src/adapters/connection-record/files/terms.js';

describe('the terms of a segment', () => {
  const tableOf = (ids: readonly string[]): TermTable =>
    TermTable.from(TermTable.of(ids.map((id) => termOf('connection', id))).bytes);

  it('say what is in it, however much that is', () => {
    for (const count of [1, 2, 3, 100]) {
      const ids = Array.from({ length: count }, (_, n) => `c${n}`);
      const table = tableOf([...ids, ...ids]);
      for (const id of ids) expect(table.has(termOf('connection', id)), `${id} of ${count}`).to.equal(true);
    }
  });

  it('say of what is not in it that it is not there', () => {
    const table = tableOf(['c1', 'c2', 'c3']);
    expect(table.has(termOf('connection', 'c4'))).to.equal(false);
    expect(table.has(termOf('actor', 'c1'))).to.equal(false);
    expect(tableOf([]).has(termOf('connection', 'c1'))).to.equal(false);
  });
});
