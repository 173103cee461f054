import { expect } from 'chai';
import { recordLines, tableOf } from '../../src/cli/resources/tables.js';

describe('tables', () => {
  it('have a heading and a line for each record, in columns', () => {
    const records = [
      { slug: 'a', topics: ['x', 'y'], expiresAt: null },
      { slug: 'longer', topics: [], expiresAt: '2026' },
    ];
    expect(tableOf(records, ['slug', 'topics', 'expiresAt'])).to.equal(
      ['SLUG    TOPICS  EXPIRES AT', 'a       x,y     -', 'longer  -       2026', ''].join('\n'),
    );
    expect(tableOf([], ['slug'])).to.equal('SLUG\n');
  });

  it('show one record field by field', () =>
    expect(recordLines({ name: 'n', config: { a: 1 } })).to.equal('name    n\nconfig  {"a":1}\n'));

  it('keep the terminal safe from what records hold', () =>
    expect(tableOf([{ name: '\u001b[2Jx\ny\u009b' }], ['name'])).to.equal('NAME\n [2Jx y \n'));
});
