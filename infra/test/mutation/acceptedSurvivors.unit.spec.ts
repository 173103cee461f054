import { expect } from 'chai';
import { acceptedIn, compare, rowFor } from '@roomwire/testing/mutation/acceptedSurvivors';

const survivor = (change: string, line = 1, file = 'a/src/b.ts') => ({ file, line, change });

describe('the survivors that a document accepts', () => {
  const changes = ['a <= b → a < b', 'a || b → a && b', '`${a}` → ``', '\'|\' → ""'];

  it('are the rows that a run has shown, with a reason, however they are laid out', () => {
    for (const change of changes) {
      const row = rowFor(survivor(change));
      const accepted = [{ file: 'a/src/b.ts', change, reason: 'It saves time.' }];
      expect(acceptedIn(`${row} It saves time. |`)).to.eql(accepted);
      const [file, code] = row.split(/(?<=`) \| (?=`)/);
      expect(acceptedIn(`${file}   | ${code?.replace(/ \|$/, '   |')} It saves time.   |`)).to.eql(accepted);
    }
  });

  it('are not those without a reason, nor other tables', () => {
    const row = rowFor(survivor('a → b'));
    for (const text of [row, `${row}  |`, '| File | Change | Why |', '| `a/b` | 12 | 90.0 | 95.0 |', 'a → b'])
      expect(acceptedIn(text)).to.eql([]);
  });

  it('are one for each row; rows that accept nothing are stale', () => {
    const rows = acceptedIn(
      ['a → b', 'a → b', 'c → d'].map((change) => `${rowFor(survivor(change))} Why. |`).join('\n'),
    );
    const survivors = [
      survivor('a → b', 1),
      survivor('a → b', 2),
      survivor('a → b', 3),
      survivor('c → d', 4, 'x.ts'),
    ];
    const { unexplained, stale } = compare(survivors, rows);
    expect(unexplained.map(({ line }) => line)).to.eql([3, 4]);
    expect(stale.map(({ change }) => change)).to.eql(['c → d']);
  });
});
